/** Which models an organization may name in its tasks. */
import { Problem } from '../../shared/core/problem.ts';
import { type Route, route } from '../http/route.ts';
import type { FilesContext } from './face.ts';
import { READS } from './schema.ts';

export const modelRoute: Route<FilesContext> = route<FilesContext, 'member'>({
  method: 'GET',
  path: '/api/v1/models',
  about: 'Lists the models a task may name; the first is the default.',
  caller: 'member',
  limit: READS,
  replies: { 200: 'The models.' },
  async run({ caller }, { organizationOf }) {
    const organization = await organizationOf(caller.organization);
    if (!organization) throw new Problem('unauthorized', 'Missing or invalid API key');
    return { status: 200, body: { models: organization.models, default: organization.models[0] } };
  },
});
