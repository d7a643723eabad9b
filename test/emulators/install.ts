/** Installs the AWS emulators, once for each content of the files that pin them. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { demand, java, maven, python, step } from './tools.ts';

const here = import.meta.dirname;
const cache = join(here, '../../.cache/emulators');
const pins = {
  dynamodb: join(here, 'dynamodb.pom.xml'),
  s3: join(here, 's3.pom.xml'),
  moto: join(here, 'requirements.txt'),
};

export type Installed = { dynamodb: string; s3: string; python: string };

const places = (folder: string): Installed => ({
  dynamodb: join(folder, 'dynamodb'),
  s3: join(folder, 's3'),
  python: join(folder, 'moto/bin/python'),
});

/** The folder is named by what it holds and appears whole, so its presence says that nothing is left to do. */
export async function installEmulators(): Promise<Installed> {
  await demand(java);
  const folder = join(cache, stampOfPins());
  if (!existsSync(folder)) {
    await demand(maven);
    await demand(python);
    await installInto(folder);
  }
  return places(folder);
}

const stampOfPins = (): string => {
  const hash = createHash('sha256');
  for (const file of Object.values(pins)) hash.update(readFileSync(file)).update('\0');
  return hash.digest('hex').slice(0, 16);
};

async function installInto(folder: string): Promise<void> {
  console.log('Installing the AWS emulators into .cache/emulators (once; up to some minutes):');
  await mkdir(cache, { recursive: true });
  const making = await mkdtemp(join(cache, 'making-'));
  try {
    const made = places(making);
    await step('DynamoDB Local', 'mvn', jars(pins.dynamodb, made.dynamodb));
    await step('S3Proxy', 'mvn', jars(pins.s3, made.s3));
    await step('a Python of its own', 'python3', ['-m', 'venv', join(making, 'moto')]);
    await step('moto', made.python, ['-m', 'pip', 'install', '--quiet', '--requirement', pins.moto]);
    await rename(making, folder);
  } catch (error) {
    await rm(making, { recursive: true, force: true });
    // Another run may have finished the same folder first.
    if (!existsSync(folder)) throw error;
  }
}

const jars = (pom: string, folder: string): string[] => [
  ...['--quiet', '--batch-mode', '--file', pom],
  'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies',
  `-DoutputDirectory=${folder}`,
  '-DincludeScope=runtime',
];
