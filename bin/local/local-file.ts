/** The file `local.json` in the state folder. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning } from '../../adapters/local/state-folder.ts';
import type { DemoOrganization } from './demo-organizations.ts';
import type { ProductOptions } from './product-options.ts';
import { writeWhole } from './write-whole.ts';

/** `local.json`: the URLs of the running product, for scripts and tests. The file exists only while the product is ready. */
export type LocalFile = {
  filesAndTasks: { baseUrl: string };
  agents: { rootUrl: string; wsUrl: string };
  mail: string;
  organizations: DemoOrganization[];
  /** The names of the connections to models that its environment sets. */
  modelConnections: string[];
};

const placeOf = (folder: string): string => join(folder, 'local.json');

/** The URLs of both APIs and of the WebSocket. */
export type Addresses = { filesAndTasks: string; agents: string; agentsSocket: string };

type LocalFileInput = Pick<ProductOptions, 'organizations' | 'modelConnections'> & { addresses: Addresses };

export function writeLocalFile(folder: string, { addresses, organizations, modelConnections }: LocalFileInput) {
  const mail = join(folder, 'mail');
  mkdirSync(mail, { recursive: true, mode: 0o700 });
  const content: LocalFile = {
    filesAndTasks: { baseUrl: `${addresses.filesAndTasks}/api/v1` },
    agents: { rootUrl: addresses.agents, wsUrl: addresses.agentsSocket },
    mail,
    organizations,
    modelConnections: [...modelConnections.keys()],
  };
  writeWhole(placeOf(folder), content);
  return { file: placeOf(folder), content };
}

/** The connections that the environment of the running product sets; `undefined` while none runs. */
export function runningConnections(folder: string): string[] | undefined {
  if (!isRunning(folder)) return undefined;
  try {
    return (JSON.parse(readFileSync(placeOf(folder), 'utf8')) as Partial<LocalFile>).modelConnections;
  } catch {
    return undefined; // it is starting or stopping
  }
}

export const removeLocalFile = (folder: string): void => rmSync(placeOf(folder), { force: true });
