/** The fixture of login tests: the accounts' state, its master secret, an organization with a user. */
import { join } from 'node:path';
import { fileSecrets } from '../../../../adapters/local/secrets.ts';
import type { Role } from '../../../../shared/accounts/caller.ts';
import { createUser } from '../../../../shared/accounts/users.ts';
import { semaphore } from '../../../../shared/core/semaphore.ts';
import { systemPause } from '../../../../shared/core/time.ts';
import { useAccounts as accounts } from '../setup.ts';

export const organization = '01900000-0000-7000-8000-000000000001';
export const elsewhere = '01900000-0000-7000-8000-000000000002';
export const password = 'correct horse battery';

export function useLogin() {
  const state = accounts();
  return () => {
    const at = state();
    const secrets = fileSecrets({ file: join(at.folder, 'master.json') });
    return {
      ...at,
      secrets,
      /** Lets pending work continue. */
      pause: () => systemPause(2),
      passwordSlots: semaphore({ capacity: 2, maxEach: 2 }),
      user: (name = 'anna@example.org', role: Role = 'member', of = organization) =>
        createUser(at, { organization: of, name, role, password }),
    };
  };
}
