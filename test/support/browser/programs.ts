/** Finds the programs that tests use for pages and PDFs, and installs them where possible. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Problem } from '../../../shared/core/problem.ts';
import { step } from '../emulators/tools.ts';

export type Program = {
  what: string;
  /** The environment variable with its path. */
  namedBy: string;
  names: string[];
  places: string[];
  /** The packages of Debian that contain it. */
  packages: string[];
  remedy: string;
};

export const chromium: Program = {
  what: 'Chromium',
  namedBy: 'CHROMIUM_PATH',
  names: ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'],
  places: [
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ],
  packages: ['chromium', 'fonts-dejavu-core'],
  remedy: 'install it (Debian: apt install chromium; macOS: brew install --cask chromium)',
};

export const pdftoppm: Program = {
  what: 'pdftoppm of poppler',
  namedBy: 'PDFTOPPM_PATH',
  names: ['pdftoppm'],
  places: [],
  packages: ['poppler-utils'],
  remedy: 'install it (Debian: apt install poppler-utils; macOS: brew install poppler)',
};

export const pdftotext: Program = {
  ...pdftoppm,
  what: 'pdftotext of poppler',
  namedBy: 'PDFTOTEXT_PATH',
  names: ['pdftotext'],
};

type Environment = Record<string, string | undefined>;

/** `undefined` if none is found; throws if the environment names one that cannot run. */
export function findProgram(program: Program, environment: Environment = process.env): string | undefined {
  const named = environment[program.namedBy];
  if (named && !mayRun(named)) {
    throw new Problem('badSetting', `${program.namedBy} names ${named}, which cannot be run: ${program.remedy}.`);
  }
  const folders = (environment.PATH ?? '').split(delimiter).filter(Boolean);
  const usual = folders.flatMap((folder) => program.names.map((name) => join(folder, name)));
  return named || [...usual, ...program.places].find(mayRun);
}

function mayRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const APT = '/usr/bin/apt-get';

/** Installs it as root on Debian and its derivatives; elsewhere the error says how to install it. */
export async function demandProgram(program: Program): Promise<string> {
  const found = findProgram(program);
  if (found) return found;
  if (process.getuid?.() === 0 && mayRun(APT)) await install(program);
  const installed = findProgram(program);
  if (installed) return installed;
  const instead = `or name one by ${program.namedBy}`;
  throw new Problem('badSetting', `${program.what} is missing, which is needed here: ${program.remedy}, ${instead}.`);
}

async function install({ what, packages }: Program): Promise<void> {
  await step('the lists of packages', APT, ['update', '--quiet']);
  await step(what, APT, ['install', '--yes', '--quiet', '--no-install-recommends', ...packages]);
}
