% SPDX-License-Identifier: MIT
% The comparison of the paper: the frame assembled anew and integrated exactly for a ground acceleration that is linear between
% samples, which is what lsim does. Reads the ground acceleration from a result.csv and prints the largest displacement of the top
% and how far the recorded one is from it.
%
%     interfield run cases/frame-10/frame.yaml --set time.step='1 ms' --set 'output={csv: yes}' --out runs/frame
%     octave-cli cases/frame-10/lsim_frame.m runs/frame/result.csv
1; % a script, not a function file

function compare(path)
  [head, data] = read_csv(path);
  t = data(:, 1);
  ag = data(:, find_column(head, 'ground acceleration x'));
  u = data(:, find_column(head, 's10c1.x displacement'));
  [M, K, load, top] = assemble();
  h = t(2) - t(1);
  exact = integrate_exactly(M, K, load, top, h, ag);
  [peak, at] = max(abs(exact));
  printf('peak %.10g m at %.4g s, largest difference %.3g m (%.3g of the peak)\n', peak, t(at), max(abs(u - exact)), ...
         max(abs(u - exact)) / peak);
end

function [head, data] = read_csv(path)
  file = fopen(path);
  line = fgetl(file);
  while line(1) == '#'
    line = fgetl(file);
  end
  head = strsplit(line, ',');
  data = cell2mat(textscan(file, repmat('%f', 1, numel(head)), 'Delimiter', ','));
  fclose(file);
end

function k = find_column(head, name)
  k = find(strncmp(strtrim(strrep(head, '"', '')), name, numel(name)), 1);
end

% 4 columns x 11 levels; dofs x, y, rotation at every node, those of the base last. The load is -(M_ff iota_f + M_fs iota_s).
function [M, K, load, top] = assemble()
  E = 30e9; rho = 25000 / 9.81; bay = 6; storey = 3;
  number = @(level, column) 3 * (4 * mod(level - 1, 11) + column - 1) + (1:3); % level 0 follows level 10
  M = zeros(132); K = zeros(132);
  for level = 1:10
    for column = 1:4
      [M, K] = add(M, K, number(level - 1, column), number(level, column), storey, pi / 2, 0.5, 0.5, E, rho);
      if column < 4
        [M, K] = add(M, K, number(level, column), number(level, column + 1), bay, 0, 0.3, 0.6, E, rho);
      end
    end
  end
  iota = zeros(132, 1); iota(1:3:end) = 1;
  load = -M(1:120, :) * iota;
  M = M(1:120, 1:120); K = K(1:120, 1:120);
  top = number(10, 1)(1);
end

function [M, K] = add(M, K, from, to, L, angle, width, depth, E, rho)
  A = width * depth; I = width * depth^3 / 12; c = cos(angle); s = sin(angle);
  k = zeros(6); m = zeros(6);
  k([1 4], [1 4]) = E * A / L * [1 -1; -1 1];
  b = [2 3 5 6];
  k(b, b) = E * I / L^3 * [12 6*L -12 6*L; 6*L 4*L^2 -6*L 2*L^2; -12 -6*L 12 -6*L; 6*L 2*L^2 -6*L 4*L^2];
  m([1 4], [1 4]) = rho * A * L / 6 * [2 1; 1 2];
  m(b, b) = rho * A * L / 420 * [156 22*L 54 -13*L; 22*L 4*L^2 13*L -3*L^2; 54 13*L 156 -22*L; -13*L -3*L^2 -22*L 4*L^2];
  T = blkdiag([c s 0; -s c 0; 0 0 1], [c s 0; -s c 0; 0 0 1]);
  k = T' * k * T; m = T' * m * T;
  d = [from to];
  K(d, d) += k;
  M(d, d) += m;
end

% Mode by mode: q'' + w^2 q = g a, a linear in each step, in closed form.
function u = integrate_exactly(M, K, p, top, h, a)
  [V, D] = eig(K, M);
  V = V ./ sqrt(diag(V' * M * V))';
  w = sqrt(diag(D)); g = V' * p;
  q = zeros(120, 1); v = q; u = zeros(numel(a), 1);
  c = cos(w * h); s = sin(w * h);
  for k = 1:numel(a) - 1
    b = (a(k + 1) - a(k)) / h;
    q0 = g * a(k) ./ w.^2; r = g * b ./ w.^2;       % particular solution q0 + r t
    dq = q - q0; dv = v - r;
    q = q0 + r * h + dq .* c + dv .* s ./ w;
    v = r - dq .* w .* s + dv .* c;
    u(k + 1) = V(top, :) * q;
  end
end

compare(argv(){end});
