/** Which models of the organizations of this machine have no connection, and what they would need. */

import { connectionIn, writesText } from '../../shared/accounts/models.ts';
import { listOrganizations } from '../../shared/accounts/organizations.ts';
import { storedConnections } from '../../shared/accounts/stored-connections.ts';
import { environment } from '../../shared/core/environment.ts';
import type { Table } from '../../shared/ports.ts';

/** `running`: the connections that the environment of the running product sets; undefined while none runs. */
type Connections = { table: Table; running: readonly string[] | undefined };

const { modelAddress, openaiKey, anthropicKey, googleKey, awsRegion } = environment;

/** What the product has to be started with, for the names that its environment can set. */
const STARTED_WITH: Readonly<Record<string, string>> = {
  ollama: 'without --no-model',
  openai: `with ${modelAddress} or ${openaiKey}`,
  anthropic: `with ${anthropicKey}`,
  google: `with ${googleKey}`,
  bedrock: `with ${awsRegion}`,
};

async function storedNames(table: Table, organization: string | undefined): Promise<Set<string>> {
  const owners = organization === undefined ? [undefined] : [undefined, organization];
  const stored = await Promise.all(owners.map((owner) => storedConnections(table, owner)));
  return new Set(stored.flat().map(({ name }) => name));
}

/** A clause that says what the model would need; `undefined`: it has a connection, or nobody can tell here. */
function missingConnectionHint(
  model: string,
  stored: ReadonlySet<string>,
  running: Connections['running'],
): string | undefined {
  const name = connectionIn(model);
  if (!writesText(model) || stored.has(name)) return undefined;
  const needed = STARTED_WITH[name];
  if (needed === undefined) return `${model} has no connection: npx errand model add ${name}`;
  return running === undefined || running.includes(name)
    ? undefined
    : `${model} answers only while the product runs ${needed}`;
}

/** A note with a line for each model without a connection. */
export async function unconnectedModelsNote(
  { table, running }: Connections,
  models: readonly string[],
  organization: string | undefined,
): Promise<string | undefined> {
  const stored = await storedNames(table, organization);
  const notes = models.flatMap((model) => missingConnectionHint(model, stored, running) ?? []);
  return notes.length > 0 ? notes.map((note) => `${note}.`).join('\n') : undefined;
}

export type UnconnectedModel = { name: string; why: string; isDefault: boolean };

/** The models of all organizations that have no connection here; each organization's default comes first. */
export async function listUnconnectedModels({ table, running }: Connections): Promise<UnconnectedModel[]> {
  const unreached: UnconnectedModel[] = [];
  for (const { id, name, models } of await listOrganizations(table)) {
    const stored = await storedNames(table, id);
    for (const [at, model] of models.entries()) {
      const why = missingConnectionHint(model, stored, running);
      if (why !== undefined) unreached.push({ name, why, isDefault: at === 0 });
    }
  }
  return unreached;
}
