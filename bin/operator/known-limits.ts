/** Every limit the product's routes have, by name: an override of any other would do nothing. */
import { Problem } from '../../shared/core/problem.ts';
import type { Limit } from '../../shared/limits/limit.ts';

export async function knownLimits(): Promise<Map<string, Limit>> {
  // The route tables load much that no other verb needs.
  const [{ filesAndTasks }, { agents }] = await Promise.all([
    import('../../functions/files-and-tasks/face.ts'),
    import('../../functions/agents/face.ts'),
  ]);
  const limits = [...filesAndTasks.routes, ...agents.routes].flatMap(({ limit }) => (limit ? [limit] : []));
  return new Map(limits.map((limit) => [limit.name, limit]));
}

export function knownLimit(known: Map<string, Limit>, name: string): Limit {
  const limit = known.get(name);
  if (limit) return limit;
  const shown = JSON.stringify(name.slice(0, 80));
  throw new Problem('notFound', `There is no limit ${shown}; there are ${[...known.keys()].join(', ')}.`);
}
