/** The background-agent API: people with an access token. */
import { Problem } from '../../shared/core/problem.ts';
import { healthRoutes } from '../health.ts';
import type { Face, ShellContext } from '../http/face.ts';
import { invalid, render } from './problems.ts';

export const agents: Face<ShellContext> = {
  name: 'agents',
  routes: [...healthRoutes<ShellContext>()],
  identify: async () => {
    throw new Problem('unauthorized', 'Missing or invalid access token; log in again.');
  },
  render,
  invalid,
  takesAnyJson: false,
};
