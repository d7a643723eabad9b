/** Every kind of row that the product writes is either exported, or left out for a reason that is written down. */
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ROW_KINDS, rowKindOf } from '../../../shared/transfer/row-kinds.ts';
import { RELEASES, readRecorded } from '../../upgrade/recorded-file.ts';

const ID = '01a20920-4187-70ef-b708-1e3b50ccbe6d';

/** Rows of no organization. */
const COMMON = /^(AUDIT|LANES|UPLOADS|MODELS|SOCKET-ORDERS|(BAD-CREDENTIALS|GUESSES|PACE)#.*)$/;

describe.each(RELEASES)('the rows of %s', (version) => {
  it('are all of kinds that were decided about', () => {
    const items = readRecorded(version, 'items.json');
    const organizations = [...new Set(items.map(({ pk }: Item) => /^O#([^#]+)/.exec(pk.S)?.[1]).filter(Boolean))];
    const undecided = items
      .map(({ pk, sk }: Item) => ({ pk: pk.S, sk: sk.S }))
      .filter((key: Key) => !COMMON.test(key.pk))
      .filter((key: Key) => !organizations.some((organization) => isDecided(String(organization), key)));
    expect(undecided).toEqual([]);
    expect(items.length).toBeGreaterThan(100);
  });
});

type Item = { pk: { S: string }; sk: { S: string } };
type Key = { pk: string; sk: string };

function isDecided(organization: string, key: Key): boolean {
  try {
    return rowKindOf(organization, key) !== undefined;
  } catch {
    return false;
  }
}

/**
 * How often each file makes the key of a row. If you add a row of a new kind: decide in row-kinds.json whether it goes into
 * an export of its organization, and if not, why. Then count it here.
 */
const KEYS_MADE: Record<string, number> = {
  'adapters/local/scheduler.ts': 1,
  'adapters/local/socket-orders.ts': 1,
  'engines/models/model-gates.ts': 1,
  'functions/http/credential-limit.ts': 1,
  'functions/http/idempotency.ts': 1,
  'shared/accounts/api-key-use.ts': 1,
  'shared/accounts/api-keys.ts': 1,
  'shared/accounts/audit.ts': 1,
  'shared/accounts/issuers.ts': 2,
  'shared/accounts/known-addresses.ts': 1,
  'shared/accounts/organizations.ts': 1,
  'shared/accounts/password-guesses.ts': 1,
  'shared/accounts/search-provider.ts': 1,
  'shared/accounts/sso-users.ts': 1,
  'shared/accounts/stored-connections.ts': 1,
  'shared/accounts/users.ts': 1,
  'shared/accounts/webhook-secrets.ts': 1,
  'shared/accounts/websocket-tokens.ts': 1,
  'shared/agents/cancel-agent-task.ts': 1,
  'shared/files/file.ts': 1,
  'shared/files/sweep-uploads.ts': 1,
  'shared/knowledge/knowledge.ts': 1,
  'shared/knowledge/rulesets.ts': 1,
  'shared/lanes/lane-ages.ts': 1,
  'shared/lanes/worker-seats.ts': 2,
  'shared/limits/rate-limit.ts': 1,
  'shared/mail/mail-outcomes.ts': 2,
  'shared/mail/suppressions.ts': 1,
  'shared/realtime/connection-slots.ts': 1,
  'shared/realtime/connections.ts': 1,
  'shared/sources/stored-sources.ts': 1,
  'shared/tasks/activity.ts': 1,
  'shared/tasks/attempt-usage.ts': 1,
  'shared/tasks/budget.ts': 2,
  'shared/tasks/checkpoints.ts': 1,
  'shared/tasks/details.ts': 3,
  'shared/tasks/results.ts': 1,
  'shared/tasks/rows.ts': 1,
  'shared/tasks/runs.ts': 1,
  'shared/usage/daily-usage.ts': 1,
  'shared/webhooks/delivery-log.ts': 1,
  'shared/webhooks/receiver-health.ts': 1,
  'shared/webhooks/waiting-deliveries.ts': 1,
};

/** A text, a template or a call, and not the key of another row. */
const KEY = /\bpk: (?:[`'A-Z]|\w+\()(?!tring\()/g;
const STORES = /^(shared\/transfer\/|adapters\/aws\/|adapters\/local\/(context|sqlite-table|sqlite-rows|database)\.ts)/;

it('are counted where they are made, so that a new kind is decided about', () => {
  const files = globSync('{adapters,agents,engines,functions,shared}/**/*.ts').filter((file) => !STORES.test(file));
  const made = files.flatMap((file) => {
    const count = readFileSync(file, 'utf8').match(KEY)?.length ?? 0;
    return count > 0 ? [[file, count]] : [];
  });
  expect(Object.fromEntries(made)).toEqual(KEYS_MADE);
});

it('fails for a kind that nobody decided about', () => {
  expect(() => rowKindOf(ID, { pk: `O#${ID}#T#x`, sk: 'NEW#1' })).toThrow('no rows of the kind "O#ORG#T#* NEW"');
  expect(() => rowKindOf(ID, { pk: `O#${ID}`, sk: 'NEW' })).toThrow('no rows of the kind');
  expect(rowKindOf(ID, { pk: `O#${ID}#SUPPRESSED`, sk: 'x' }).row).toBe('*');
});

it('names a reason for each kind that is left out, and each kind once', () => {
  const names = ROW_KINDS.map(({ partition, row }) => `${partition} ${row}`);
  expect(new Set(names).size).toBe(names.length);
  for (const { leftOut } of ROW_KINDS) expect(leftOut ?? 'exported').not.toBe('');
});
