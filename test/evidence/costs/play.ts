/** Plays every scene on the rehearsed product several times, and records its requests. */

import { dynamoClient, secretsClient } from '../../../adapters/aws/clients.ts';
import { dynamoTable } from '../../../adapters/aws/dynamo-table.ts';
import { secretsManager } from '../../../adapters/aws/secrets.ts';
import { passwords } from '../../../engines/passwords/passwords.ts';
import { createKey } from '../../../shared/accounts/api-keys.ts';
import { overrideLimit } from '../../../shared/accounts/caps.ts';
import { createOrganization } from '../../../shared/accounts/create-organization.ts';
import { createUser } from '../../../shared/accounts/users.ts';
import { ids as makeIds } from '../../../shared/core/ids.ts';
import { systemClock as clock } from '../../../shared/core/time.ts';
import { vault } from '../../../shared/core/vault.ts';
import type { Clock, Table } from '../../../shared/ports.ts';
import { putSource } from '../../../shared/sources/stored-sources.ts';
import { WORKLOAD_MODELS } from '../../engines/models/workload-model.ts';
import { putKnownSources } from '../../functions/over-http/known-sources.ts';
import type { Emulators } from '../../support/emulators/start.ts';
import type { Recording } from '../rehearsal/recorder/recording.ts';
import type { Rehearsal } from '../rehearsal/rehearsal.ts';
import { productConnection } from '../rehearsal/stack/connection.ts';
import { SLOW_SOURCES } from './agents-player.ts';
import { type Player, player } from './player.ts';
import { ROUND, SCENES } from './scenes.ts';

/** Enough runs that the usual way dominates the cold caches of new instances. */
const TIMES = 8;
/** Limits that this many calls would reach. */
const AGENT_LIMITS = ['agent-submits', 'agent-status', 'agent-results', 'agent-lists', 'agent-cancels'];

export async function playScenes(rehearsal: Rehearsal, emulators: Emulators): Promise<void> {
  const { recording } = rehearsal;
  const playing = await enter(rehearsal, emulators);
  for (const { name, play, times = TIMES, warmUps = 0 } of SCENES) {
    for (let played = 0; played < warmUps; played++) await play(playing);
    const requests: string[] = [];
    for (let played = 0; played < times; played++) requests.push(await play(playing));
    recording.scenes.push({ name, requests });
  }
  recording.scenes.push({ name: ROUND, requests: idleRounds(recording) });
}

/** Has an organization of its own. */
async function enter({ outputs, recording, hold }: Rehearsal, emulators: Emulators): Promise<Player> {
  const ids = makeIds(clock);
  const client = dynamoClient(productConnection(emulators.dynamoUrl));
  const table = dynamoTable({ client, tableName: outputs.TableName ?? '', clock, ids });
  const secrets = secretsClient(productConnection(emulators.awsUrl));
  const sealed = vault(secretsManager({ client: () => secrets, id: outputs.MasterSecretId ?? '', clock }));
  const { organization } = await createOrganization(
    { table, clock, ids, vault: sealed },
    { name: 'costs', models: WORKLOAD_MODELS },
  );
  const { apiKey } = await createKey({ table, clock, ids }, { organization: organization.id, name: 'costs' });
  await overrideLimit(table, organization.id, { limit: 'tasks', minute: 10_000 });
  // Research over public sources would wait for a network that does not exist here.
  await putKnownSources({ table, clock }, organization.id, { withDead: false });
  for (const name of SLOW_SOURCES) {
    const entries = [{ title: `Invoices, ${name}`, text: 'The invoice is due on 3 March 2027.' }];
    await putSource({ table, clock }, organization.id, { name, value: { title: name, entries } });
  }
  const baseUrl = outputs.FilesAndTasksBaseUrl ?? '';
  for (const limit of AGENT_LIMITS) {
    await overrideLimit(table, organization.id, { limit, minute: 10_000, hour: 10_000 });
  }
  const agents = await logIn({ table, clock, organization: organization.id, root: outputs.AgentsRootUrl ?? '' });
  const watched = { ...agents, socket: outputs.AgentsWsUrl ?? '' };
  return player({
    recording,
    baseUrl,
    agents: watched,
    hold,
    apiKey,
    organization: organization.id,
    table,
    clock,
    ids,
  });
}

type Entering = { table: Table; clock: Clock; organization: string; root: string };

/** As an admin, who may cancel tasks of others. */
async function logIn({ table, clock: at, organization, root }: Entering): Promise<{ url: string; token: string }> {
  const person = { username: 'admin@costs', password: 'a password of the scenes' };
  const user = { organization, name: person.username, role: 'admin', password: person.password } as const;
  await createUser({ table, clock: at, passwords: passwords({ logCost: 10 }) }, user);
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(`${root}/auth/login`, { method: 'POST', headers, body: JSON.stringify(person) });
  const { access_token: token } = (await reply.json()) as { access_token: string };
  return { url: `${root}/api/v1`, token };
}

function idleRounds({ requests, calls }: Recording): string[] {
  const rounds = requests.filter((request) => request.function === 'reconcile').map(({ id }) => id);
  const busy = new Set(
    calls.filter(({ operation }) => !/^(Query|GetItem|ListSchedules)$/.test(operation)).map(({ request }) => request),
  );
  return rounds.filter((id) => !busy.has(id));
}
