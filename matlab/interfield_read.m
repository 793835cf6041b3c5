function r = interfield_read(path)
% INTERFIELD_READ  The result of a run or test of interfield, for Octave and MATLAB.
%
%   r = interfield_read('runs/demo')
%   plot(r.time, r.data(:, strcmp(r.names, 'x2 displacement')))
%
%   r.time     column, s of simulated time; in a test it repeats during hold and ramps
%   r.wall_time  column, s of wall-clock time since the first tick of a test; [] for a run
%   r.data     one column per recorded quantity, with the length of time
%   r.names    cell array: 'x2 displacement'; r.units: 'm'; r.groups: 'displacement'; r.paths: '/displacement/x2'
%   r.case     the case file as it was read
%   r.summary  summary.json: outcome, method, timing, ...
%
% path is the folder of a result. load() of Octave does not read attributes, so names and units come from summary.json,
% which is written at the end of the run. This function does not verify the checksums of both files; interfield report,
% interfield replay and interfield export --mat do.

% SPDX-License-Identifier: MIT
    SCHEMA = 1;
    json = fullfile(path, 'summary.json');
    file = fullfile(path, 'result.h5');
    if ~exist(json, 'file') || ~exist(file, 'file')
        error('interfield:read', ['%s: expected the folder of a result, with result.h5 and summary.json. ' ...
            'A test that was killed gets them by "interfield recover %s"'], path, path);
    end
    r.summary = jsondecode(fileread(json));
    if r.summary.schema ~= SCHEMA
        error('interfield:read', ['%s was written by another version of interfield (schema %d; this version reads ' ...
            'schema %d)'], path, r.summary.schema, SCHEMA);
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
    if octave
        refuse_ambiguous(path, r.paths);
    end
    r.data = zeros(numel(r.time), numel(channels));
    for k = 1:numel(channels)
        r.data(:, k) = reshape(fetch(channels(k).path), [], 1);
    end
    r.wall_time = r.data(:, strcmp(r.names, 'wall time'));
    r.case = fetch('/case');
    if iscell(r.case) || isa(r.case, 'string')
        r.case = char(r.case);
    end
end

% load() of Octave turns groups into structs, and names into identifiers: every byte that is not a letter, digit or
% underscore becomes an underscore, and another one precedes a leading digit.
function value = from_struct(value, where)
    parts = strsplit(where(2:end), '/');
    for k = 1:numel(parts)
        value = value.(identifier(parts{k}));
    end
end

function name = identifier(name)
    kept = (name >= 'a' & name <= 'z') | (name >= 'A' & name <= 'Z') | (name >= '0' & name <= '9');
    name(~kept) = '_';
    if name(1) >= '0' && name(1) <= '9'
        name = ['_' name];
    end
end

% Two names that give one identifier, such as a-b and a_b: load() returns only one of them.
function refuse_ambiguous(path, paths)
    seen = struct();
    for k = 1:numel(paths)
        parts = strsplit(paths{k}(2:end), '/');
        original = '';
        short = '';
        for i = 1:numel(parts)
            original = [original '/' parts{i}];
            short = [short 'I' identifier(parts{i})];
            if isfield(seen, short) && ~strcmp(seen.(short), original)
                error('interfield:read', ['%s: Octave cannot distinguish %s and %s. Use "interfield export %s --mat" ' ...
                    'and load the .mat file'], path, seen.(short), original, path);
            end
            seen.(short) = original;
        end
    end
end
