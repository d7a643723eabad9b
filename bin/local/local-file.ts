/** `local.json`: where the running product answers, for scripts and tests. It is there only while the product is ready. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Standing, writeWhole } from './demo.ts';
import type { Addresses } from './product.ts';

export type LocalFile = {
  filesAndTasks: { baseUrl: string };
  agents: { rootUrl: string; wsUrl: string };
  mail: string;
  organizations: Standing[];
};

const placeOf = (folder: string): string => join(folder, 'local.json');

export function writeLocalFile(folder: string, addresses: Addresses, organizations: Standing[]) {
  const mail = join(folder, 'mail');
  mkdirSync(mail, { recursive: true, mode: 0o700 });
  const content: LocalFile = {
    filesAndTasks: { baseUrl: `${addresses.filesAndTasks}/api/v1` },
    agents: { rootUrl: addresses.agents, wsUrl: addresses.agentsSocket },
    mail,
    organizations,
  };
  writeWhole(placeOf(folder), content);
  return { file: placeOf(folder), content };
}

export const removeLocalFile = (folder: string): void => rmSync(placeOf(folder), { force: true });
