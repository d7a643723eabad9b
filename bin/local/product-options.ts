/** What the product on one machine is started with, and what its console gets of that. */
import type { LocalContext } from '../../adapters/local/context.ts';
import type { EnvironmentConnections } from '../../shared/accounts/model-connections.ts';
import type { Log } from '../../shared/core/log.ts';
import type { Passwords } from '../../shared/ports.ts';
import type { Sources } from './arguments.ts';
import type { DemoOrganization } from './demo-organizations.ts';

export type ProductOptions = {
  ports: [number, number];
  log: Log;
  sources: Sources;
  passwords: Passwords;
  maxBadCredentials: number;
  organizations: DemoOrganization[];
  modelConnections: EnvironmentConnections;
};

/** The path of calls that only the local console makes; they are not part of any contract. */
export const LOCAL_FOLDER = '/console/';

/** What the console server needs. */
export type ConsoleLocal = Pick<ProductOptions, 'ports' | 'organizations' | 'modelConnections'> & {
  local: Pick<LocalContext, 'table' | 'clock' | 'vault' | 'folder' | 'secrets' | 'models'>;
};
