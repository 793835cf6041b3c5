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
    SCHEMAS = [1 2]; % that are read; one of schema 1 is given as schema 2 has it
    json = fullfile(path, 'summary.json');
    file = fullfile(path, 'result.h5');
    if ~exist(json, 'file') || ~exist(file, 'file')
        error('interfield:read', ['%s: expected the folder of a result, with result.h5 and summary.json. ' ...
            'A test that was killed gets them by "interfield recover %s"'], path, path);
    end
    r.summary = jsondecode(fileread(json));
    if ~any(r.summary.schema == SCHEMAS)
        error('interfield:read', '%s has schema %d, this reader supports %s', path, r.summary.schema, num2str(SCHEMAS));
    end
    octave = exist('OCTAVE_VERSION', 'builtin') ~= 0;
    if octave
        all = load('-hdf5', file);
        fetch = @(where) from_struct(all, where);
    else
        fetch = @(where) h5read(file, where);
    end
    channels = r.summary.columns;
    time = '/time';
    if r.summary.schema == 1
        [r.summary, channels, time] = upgraded(r.summary, channels);
    end
    r.time = reshape(fetch(time), [], 1);
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
    if r.summary.schema == 1
        r.paths(strcmp(r.names, 'wall time')) = {'/wall_time'};
    end
    r = of_today(r);
    r.wall_time = r.data(:, strcmp(r.names, 'wall time'));
    r.case = fetch('/case');
    if iscell(r.case) || isa(r.case, 'string')
        r.case = char(r.case);
    end
end

% Present names of columns of schema 1; the same list is in src/base/column.c.
function r = of_today(r)
    earlier = {'rig', 'wanted', 'rig', 'target'
               'actuator', 'share', 'actuator', 'load sharing'
               'total-acceleration', 'total-acceleration', 'absolute-acceleration', 'absolute acceleration'
               'specimen', 'stretch', 'specimen', 'deformation'};
    for k = 1:numel(r.names)
        for i = 1:size(earlier, 1)
            words = [' ' earlier{i, 2}];
            n = numel(r.names{k}) - numel(words);
            if strcmp(r.groups{k}, earlier{i, 1}) && n > 0 && strcmp(r.names{k}(n + 1:end), words)
                at = find(r.paths{k} == '/', 1, 'last');
                if strcmp(earlier{i, 1}, earlier{i, 3})
                    r.paths{k} = [r.paths{k}(1:at) strrep(earlier{i, 4}, ' ', '_')];
                else
                    r.paths{k} = ['/' earlier{i, 3} r.paths{k}(at:end)];
                end
                r.names{k} = [r.names{k}(1:n) ' ' earlier{i, 4}];
                r.groups{k} = earlier{i, 3};
                break
            end
        end
    end
end

% Converts schema 1 to schema 2: words of outcomes; in a test, simulated time as time and wall-clock time as a column.
function [summary, channels, time] = upgraded(summary, channels)
    time = '/time';
    if strcmp(summary.outcome, 'done')
        summary.outcome = 'completed';
    elseif strcmp(summary.outcome, 'cut')
        summary.outcome = 'incomplete';
    end
    simulated = strcmp({channels.path}, '/test/simulated_time');
    if ~any(simulated)
        return
    end
    time = '/test/simulated_time';
    wall = channels(simulated);
    wall.name = 'wall time';
    wall.group = 'time';
    wall.path = '/time';
    channels = [wall; reshape(channels(~simulated), [], 1)];
    summary.peaks = told_on_the_clock(summary.peaks);
    summary.drift = told_on_the_clock(summary.drift);
end

% Instants in wall-clock time keep their values under a name with "wall".
function peaks = told_on_the_clock(peaks)
    for name = reshape(fieldnames(peaks), 1, [])
        peak = peaks.(name{1});
        peak.wall_time = peak.time;
        peaks.(name{1}) = rmfield(peak, 'time');
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
