function [out, target, commanded, stopped] = interfield_wire(in, length, x, f, inputs, tick, watchdog, stamp)
% INTERFIELD_WIRE  Messages of interfield, wire version 3 (docs/reference/udp-wire.md has every byte). SPDX-License-Identifier: MIT
% For a MATLAB Function block in a real-time target: one call per tick. in, length: the datagram received since the last tick
% (600 x 1 uint8) and its length, 0: none. x, f: positions and forces of n actuators, n x 1, m and N. inputs: 1 stop released
% + 2 power. tick, watchdog: s. stamp: own clock, ns. out: 600 x 1 uint8 to send, nothing while out(1) is 0. target: move there
% while commanded is true, otherwise keep the last position. stopped: the watchdog has acted; rest until the next test.
persistent session sent newest echo answered silent watches halted goal moves
n = numel(x); none = uint64(0);
if isempty(session)
    session = none; sent = none; newest = none; echo = none; answered = none;
    silent = 0; watches = false; halted = false; moves = false; goal = x(:);
end
silent = silent + tick; kind = 0; of = session; word = uint32(inputs); head = zeros(6, 1, 'uint64');
out = zeros(600, 1, 'uint8');
if length == 600 && isequal(in(1:6), uint8([73; 70; 82; 71; 3; 0])) && checksum(in) == typecast(in(597:600), 'uint32')
    kind = double(in(7)); head = typecast(in(9:56), 'uint64'); seconds = typecast(in(49:56), 'double');
    fields = typecast(in(57:68), 'uint32'); answer = uint32(16);                              % welcome, or why not:
    if session ~= none && head(1) ~= session && silent < 2 * watchdog, answer = uint32(17);   % serves another test
    elseif fields(3) ~= n, answer = uint32(19);                                               % another number of actuators
    elseif abs(seconds / tick - 1) > 1e-6, answer = uint32(20);                               % another tick
    elseif bitand(fields(1), uint32(1)), answer = uint32(24); end                             % has a clock: no lockstep
    if kind == 1
        if answer == 16 && head(1) ~= session
            session = head(1); sent = none; newest = none; answered = none; watches = false; halted = false; moves = false; goal = x(:);
        end
        of = head(1); word = answer;
    end
    if head(1) == session && head(2) > newest
        newest = head(2); echo = head(3); silent = 0;
        if kind == 2
            answered = head(5); moves = typecast(in(589:592), 'uint32') == 1; watches = watches || moves;
            if moves && ~halted, goal = typecast(in(73:72 + 8 * n), 'double'); end
        end
    end
end
halted = halted || (session ~= none && watches && silent > watchdog);
target = goal; commanded = moves && ~halted; stopped = halted;
answers = kind == 1 || (kind == 4 && session ~= none && head(1) == session);
if ~answers && session == none, return; end
if ~answers, kind = 3; word = word + 4 * uint32(halted); end
number = uint64(1); if of == session, sent = sent + 1; number = sent; end
time = (kind == 1) * tick + (kind == 3) * 1e-9 * double(stamp); % heartbeat stays 0: a real rig. Never 1 with a machine behind it
out(1:8) = uint8([73 70 82 71 3 0 kind 0]);
out(9:48) = typecast([of number uint64(stamp) echo * uint64(of == session) answered * uint64(kind == 3)], 'uint8');
out(49:56) = typecast(time, 'uint8'); out(57:60) = typecast(word * uint32(kind ~= 4), 'uint8'); out(65:68) = typecast(uint32(n), 'uint8');
if kind == 3, out(73:72 + 8 * n) = typecast(x(:), 'uint8'); out(201:200 + 8 * n) = typecast(f(:), 'uint8'); end
out(597:600) = typecast(checksum(out), 'uint8');
if kind == 4, session = none; end
end

function c = checksum(bytes)
c = intmax('uint32');
table = uint32([0 498536548 997073096 651767980 1994146192 1802195444 1303535960 1342533948 ...
                3988292384 4027552580 3604390888 3412177804 2607071920 2262029012 2685067896 3183342108]); % four bits each
for i = 1:596
    c = bitxor(c, uint32(bytes(i)));
    for k = 1:2, c = bitxor(bitshift(c, -4), table(bitand(c, uint32(15)) + 1)); end
end
c = bitxor(c, intmax('uint32'));
end
