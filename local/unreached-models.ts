/** Models that an organization may name though nothing on this machine answers for them. */
import { listOrganizations } from '../shared/accounts/organizations.ts';
import { environment } from '../shared/core/environment.ts';
import { Problem } from '../shared/core/problem.ts';
import type { Table } from '../shared/ports.ts';

type Settings = { address: string | undefined };

const needsStage = (model: string): boolean => model.startsWith('bedrock/');

/** In one clause, what it would need; undefined = it is set up. */
function whyUnreached(model: string, { address }: Settings): string | undefined {
  if (needsStage(model)) return `${model} answers on a deployed stage only`;
  if (!model.startsWith('openai/') || address !== undefined) return undefined;
  return `${model} answers only while the product runs with ${environment.modelAddress}`;
}

export type Unreached = { name: string; why: string; isDefault: boolean };

/** A line for each; what can never answer here is refused. */
export function noteOnModels(models: readonly string[], settings: Settings): string | undefined {
  const never = models.find(needsStage);
  if (never !== undefined) {
    throw new Problem('invalid', `${whyUnreached(never, settings)}: give --stage NAME, or another model.`);
  }
  const notes = models.flatMap((model) => whyUnreached(model, settings) ?? []);
  return notes.length > 0 ? notes.map((note) => `${note}.`).join('\n') : undefined;
}

/** Of every organization, its default first. */
export async function unreachedModels(o: { table: Table; models: Settings }): Promise<Unreached[]> {
  const organizations = await listOrganizations(o.table);
  return organizations.flatMap(({ name, models }) =>
    models.flatMap((model, at) => {
      const why = whyUnreached(model, o.models);
      return why === undefined ? [] : [{ name, why, isDefault: at === 0 }];
    }),
  );
}
