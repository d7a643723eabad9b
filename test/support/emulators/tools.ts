/** Runs the system tools that the emulators need, and says how to install a missing one. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Problem } from '../../../shared/core/problem.ts';

const execute = promisify(execFile);

type Tool = { name: string; command: string; ask: string[]; fits: (answer: string) => boolean; remedy: string };

export const java: Tool = {
  name: 'Java 17 or newer',
  command: 'java',
  ask: ['--version'],
  fits: (answer) => Number(/^\S+ (\d+)/.exec(answer)?.[1] ?? 0) >= 17,
  remedy: 'install a JRE (Debian: apt install openjdk-17-jre-headless; macOS: brew install openjdk)',
};

export const maven: Tool = {
  name: 'Maven 3 or newer',
  command: 'mvn',
  ask: ['--version'],
  fits: (answer) => answer.includes('Apache Maven'),
  remedy: 'install it (Debian: apt install maven; macOS: brew install maven)',
};

export const python: Tool = {
  name: 'Python 3.10 or newer with venv',
  command: 'python3',
  ask: ['-c', 'import sys, venv, ensurepip; print(sys.version_info >= (3, 10))'],
  fits: (answer) => answer.startsWith('True'),
  remedy: 'install it (Debian: apt install python3 python3-venv; macOS: brew install python)',
};

export async function demand(tool: Tool): Promise<void> {
  const answer = await execute(tool.command, tool.ask).then(
    ({ stdout }) => stdout,
    () => '',
  );
  if (!tool.fits(answer)) {
    throw new Problem('badSetting', `${tool.name} is missing, which this command needs: ${tool.remedy}.`);
  }
}

const SIGN_OF_LIFE_MS = 15_000;

/** One step of the installation: says that it runs, that it still runs, and how long it took. */
export async function step(what: string, command: string, args: string[]): Promise<void> {
  const begun = Date.now();
  const seconds = () => `${Math.round((Date.now() - begun) / 1000)} s`;
  console.log(`- ${what} ...`);
  const alive = setInterval(() => console.log(`- ${what}: still at it (${seconds()})`), SIGN_OF_LIFE_MS);
  try {
    await execute(command, args, { maxBuffer: 64 * 1024 * 1024 });
    console.log(`- ${what}: done (${seconds()})`);
  } catch (cause) {
    const { stderr = '', stdout = '' } = cause as { stderr?: string; stdout?: string };
    const remedy = 'check the connection to the package registry, then run this again';
    throw new Problem('badSetting', `${what} failed: ${remedy}.\n${`${stdout}${stderr}`.trim().slice(-600)}`, {
      cause,
    });
  } finally {
    clearInterval(alive);
  }
}
