/** The fixture of account tests: the real local table in its own folder, a fixed clock, fast password hashing. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { fileSecrets } from '../../../adapters/local/secrets.ts';
import { sqliteTable } from '../../../adapters/local/sqlite-table.ts';
import { ids } from '../../../shared/core/ids.ts';
import { vault } from '../../../shared/core/vault.ts';
import type { Passwords, Table } from '../../../shared/ports.ts';
import { setClock } from '../../ports/clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

function open() {
  const folder = temporaryFolder();
  const clock = setClock();
  const idSource = ids(clock);
  const table = sqliteTable({ file: join(folder.path, 'state.db'), clock, ids: idSource });
  return {
    clock,
    ids: idSource,
    table,
    vault: vault(fileSecrets({ file: join(folder.path, 'master.json') })),
    passwords: quickPasswords(),
    folder: folder.path,
    close() {
      table.close();
      folder.remove();
    },
  };
}

export type AccountSetup = ReturnType<typeof open>;

/** The state of the current test. */
export function useAccounts(): () => AccountSetup {
  let current: AccountSetup;
  beforeEach(() => {
    current = open();
  });
  afterEach(() => current.close());
  return () => current;
}

/** Password hashing without the work; counts its calls. */
function quickPasswords(): Passwords & { verified: (string | undefined)[] } {
  const verified: (string | undefined)[] = [];
  return {
    verified,
    hash: async (password) => `hash of ${password}`,
    async verify(password, hash) {
      verified.push(hash);
      return hash === `hash of ${password}`;
    },
  };
}

/** The same table with counted reads. */
export function countReads(table: Table): Table & { reads: string[] } {
  const reads: string[] = [];
  return {
    ...table,
    reads,
    get<T>(key: { pk: string; sk: string }) {
      reads.push(key.sk);
      return table.get<T>(key);
    },
  };
}

export const invalid = (message: RegExp) =>
  expect.objectContaining({ name: 'Problem', code: 'invalid', message: expect.stringMatching(message) });
