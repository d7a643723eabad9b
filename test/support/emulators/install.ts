/** Installs the AWS emulators and Python programs of tests, once for each content of the files that pin them. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { demand, java, maven, python, step } from './tools.ts';

const here = import.meta.dirname;
const root = join(here, '../../..');
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

export async function installEmulators(): Promise<Installed> {
  await demand(java);
  const folder = await installOnce('emulators', Object.values(pins), async (making) => {
    await demand(maven);
    await demand(python);
    console.log('Installing the AWS emulators into .cache/emulators (once; up to some minutes):');
    const made = places(making);
    await step('DynamoDB Local', 'mvn', jars(pins.dynamodb, made.dynamodb));
    await step('S3Proxy', 'mvn', jars(pins.s3, made.s3));
    await fillPython(join(making, 'moto'), 'moto', pins.moto);
  });
  return places(folder);
}

/** A Python with the packages that a file of requirements pins. */
export async function installPython(name: string, requirements: string): Promise<string> {
  await demand(python);
  const folder = await installOnce('python', [requirements], (making) => fillPython(making, name, requirements));
  return join(folder, 'bin/python');
}

async function fillPython(folder: string, name: string, requirements: string): Promise<void> {
  await step('a Python of its own', 'python3', ['-m', 'venv', folder]);
  const install = ['-m', 'pip', 'install', '--quiet', '--requirement', requirements];
  await step(name, join(folder, 'bin/python'), install);
}

/** The folder's name is a hash of its content and it appears at once, so its presence means that it is complete. */
async function installOnce(
  name: string,
  pinned: readonly string[],
  fill: (making: string) => Promise<void>,
): Promise<string> {
  const cache = join(root, '.cache', name);
  const hash = createHash('sha256');
  for (const file of pinned) hash.update(readFileSync(file)).update('\0');
  const folder = join(cache, hash.digest('hex').slice(0, 16));
  if (existsSync(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const making = await mkdtemp(join(cache, 'making-'));
  try {
    await fill(making);
    await rename(making, folder);
  } catch (error) {
    await rm(making, { recursive: true, force: true });
    // Another run may have finished the same folder first.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

const jars = (pom: string, folder: string): string[] => [
  ...['--quiet', '--batch-mode', '--file', pom],
  'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies',
  `-DoutputDirectory=${folder}`,
  '-DincludeScope=runtime',
];
