function r = interfield_read(path)
% INTERFIELD_READ  The result of a run or test of interfield, for Octave and MATLAB.
%
%   r = interfield_read('runs/demo')
%   plot(r.time, r.data(:, strcmp(r.names, 'x2 displacement')))
%
%   r.time     column, s
%   r.data     a column per channel, as long as time
%   r.names    cell array: 'x2 displacement'; r.units: 'm'; r.groups: 'displacement'; r.paths: '/displacement/x2'
%   r.case     the case file as it was read
%   r.summary  summary.json: outcome, method, timing, ...
%
% path is the folder of a result. Octave's own load() knows no attributes, so names and units come from
% summary.json, which is written when the run ends. The checksums of both files are not verified here: interfield report
% and interfield replay do, and interfield export --mat writes what they have verified.

% SPDX-License-Identifier: MIT
    SCHEMA = 1;
    json = fullfile(path, 'summary.json');
    file = fullfile(path, 'result.h5');
    if ~exist(json, 'file') || ~exist(file, 'file')
        error('interfield:read', '%s: expected the folder of a finished run, with result.h5 and summary.json', path);
    end
    r.summary = jsondecode(fileread(json));
    if r.summary.schema ~= SCHEMA
        error('interfield:read', '%s has layout %d, this reader knows %d', path, r.summary.schema, SCHEMA);
    end
    octave = exist('OCTAVE_VERSION', 'builtin') ~= 0;
    if octave
        all = load('-hdf5', file);
        fetch = @(where) from_struct(all, where);
    else
        fetch = @(where) h5read(file, where);
    end
    channels = r.summary.columns;
    r.time = reshape(fetch('/time'), [], 1);
    r.names = {channels.name};
    r.units = {channels.unit};
    r.groups = {channels.group};
    r.paths = {channels.path};
    r.data = zeros(numel(r.time), numel(channels));
    for k = 1:numel(channels)
        r.data(:, k) = reshape(fetch(channels(k).path), [], 1);
    end
    r.case = fetch('/case');
    if iscell(r.case) || isa(r.case, 'string')
        r.case = char(r.case);
    end
end

% Octave makes groups to structs, and names to identifiers.
function value = from_struct(value, where)
    parts = strsplit(where(2:end), '/');
    for k = 1:numel(parts)
        field = parts{k};
        if ~isfield(value, field)
            field = regexprep(field, '[^A-Za-z0-9_]', '_');
        end
        if ~isfield(value, field)
            field = ['_' field]; % one that begins with a digit
        end
        value = value.(field);
    end
end
