% SPDX-License-Identifier: MIT
% The tower assembled anew, its lowest frequencies, and its motion under the ground by the trapezoidal rule with steps so small that
% two of them, extrapolated, give the numbers of expected.json.
%
%     octave-cli cases/frame-3d/tower.m
1; % a script, not a function file

function main()
  [M, K, iota, number] = assemble();
  C = 0.05 * M + 0.0005 * K;
  printf('%d dofs\n', rows(K));
  w = sqrt(sort(eigs(K, M, 3, 'sm')));
  printf('frequency %.10g Hz\n', w / (2 * pi));
  watch = [number(52, 1, 1)(1), number(50, 1, 1)(1), number(26, 1, 1)(1)];
  coarse = integrate(M, C, K, iota, watch, 0.5e-3, 0.5);
  fine = integrate(M, C, K, iota, watch, 0.25e-3, 0.5);
  best = (4 * fine(1:2:end, :) - coarse) / 3;
  for t = [0.1 0.5]
    k = round(t / 0.5e-3) + 1;
    printf('at %g s: %.10g m, difference of the two %.2g\n', [t t t; best(k, :); abs(fine(2 * k - 1, :) - coarse(k, :))]);
  end
end

% Nodes x = 1..4, y = 1..4 at levels 1..52, six dofs each; level 0 is held.
function d = node(level, i, j)
  d = 6 * (16 * (level - 1) + 4 * (j - 1) + i - 1) + (1:6);
end

function [M, K, iota, number] = assemble()
  number = @node;
  column = {0.8, 0.8, 0}; beam = {0.3, 0.6, 1000}; % width, depth, added mass per length
  I = []; J = []; k = []; m = [];
  for level = 1:52
    for i = 1:4
      for j = 1:4
        [I, J, k, m] = add(I, J, k, m, node(level - 1, i, j), node(level, i, j), 3, [0 0 1], [1 0 0], column{:});
        if i < 4
          [I, J, k, m] = add(I, J, k, m, node(level, i, j), node(level, i + 1, j), 6, [1 0 0], [0 0 1], beam{:});
        end
        if j < 4
          [I, J, k, m] = add(I, J, k, m, node(level, i, j), node(level, i, j + 1), 6, [0 1 0], [0 0 1], beam{:});
        end
      end
    end
  end
  K = sparse(I, J, k); M = sparse(I, J, m);
  iota = zeros(rows(K), 1); iota(1:6:end) = 1;
end

% axis: along the member; up: the direction of its depth.
function [I, J, k, m] = add(I, J, k, m, from, to, L, axis, up, width, depth, added)
  E = 30e9; G = E / 2.4; rho = 2500;
  A = width * depth; Iz = width * depth^3 / 12; Iy = depth * width^3 / 12;
  a = max(width, depth); b = min(width, depth);
  Jt = a * b^3 * (1/3 - 0.21 * (b / a) * (1 - (b / a)^4 / 12));
  R = [axis; up; cross(axis, up)];
  T = blkdiag(R, R, R, R);
  ke = zeros(12); me = zeros(12); mass = (rho * A + added) * L; spin = rho * (Iy + Iz) * L;
  ke([1 7], [1 7]) = E * A / L * [1 -1; -1 1];       me([1 7], [1 7]) = mass / 6 * [2 1; 1 2];
  ke([4 10], [4 10]) = G * Jt / L * [1 -1; -1 1];    me([4 10], [4 10]) = spin / 6 * [2 1; 1 2];
  b4 = [12 6*L -12 6*L; 6*L 4*L^2 -6*L 2*L^2; -12 -6*L 12 -6*L; 6*L 2*L^2 -6*L 4*L^2];
  m4 = [156 22*L 54 -13*L; 22*L 4*L^2 13*L -3*L^2; 54 13*L 156 -22*L; -13*L -3*L^2 -22*L 4*L^2];
  v = [2 6 8 12]; w = [3 5 9 11]; s = diag([1 -1 1 -1]); % w bends with the opposite sense of rotation
  ke(v, v) = E * Iz / L^3 * b4;                      me(v, v) = mass / 420 * m4;
  ke(w, w) = E * Iy / L^3 * (s * b4 * s);            me(w, w) = mass / 420 * (s * m4 * s);
  ke = T' * ke * T; me = T' * me * T;
  d = [from to]; free = d > 0;
  [jj, ii] = meshgrid(d(free), d(free));
  I = [I; ii(:)]; J = [J; jj(:)];
  k = [k; ke(free, free)(:)]; m = [m; me(free, free)(:)];
end

function u_at = integrate(M, C, K, iota, watch, h, last)
  S = M + h / 2 * C + h^2 / 4 * K;
  [L, p, Q] = chol(S, 'lower');
  steps = round(last / h);
  p = -M * iota; a_ground = @(t) 0.3 * 9.80665 * sin(2 * pi * 2 * t);
  u = zeros(rows(K), 1); v = u; a = u; u_at = zeros(steps + 1, numel(watch));
  for n = 1:steps
    up = u + h * v + h^2 / 4 * a; vp = v + h / 2 * a;
    a = Q * (L' \ (L \ (Q' * (p * a_ground(n * h) - C * vp - K * up))));
    u = up + h^2 / 4 * a; v = vp + h / 2 * a;
    u_at(n + 1, :) = u(watch);
  end
end

main();
