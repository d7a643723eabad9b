/** Files that a hostile model saves: their names unpack everywhere, no system runs them, and no cell calculates. */
import { unzipSync } from 'fflate';
import { saveText } from '../../../agents/chat/saved-files.ts';
import type { Workspace } from '../../../agents/chat/workspace.ts';
import { toCsvCell, toSafeCsv } from '../../../engines/outputs/escape-csv.ts';
import { zipFiles } from '../../../engines/outputs/workbook.ts';
import { formulasInCsv } from '../../engines/outputs/judge.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import type { Outcome, Part } from './part.ts';

const ARCHIVES = 400;
const NAMES_OF_ARCHIVE = 20;

const STEMS = [
  'con',
  'NUL',
  'lpt1',
  'a',
  'A',
  'ok',
  'Ok',
  '__proto__',
  'constructor',
  '../a',
  'a\\b',
  'ü',
  'u\u0308',
  '',
];
const ENDS =
  '|.txt|.TXT|.md|.csv|.html|.js|.vbs|.bat|.cmd|.ps1|.reg|.lnk|.url|.desktop|.iqy|.slk|.py|.sh|.hta|.svg|.xhtml|.exe|.scr|.txt.js|.js\u200b|.'.split(
    '|',
  );
/** What Windows, macOS, Linux or an office program starts, or takes a formula from, when it is opened. */
const STARTED = /\.(js|vbs|bat|cmd|ps1|reg|lnk|url|desktop|iqy|slk|py|sh|hta|svg|xhtml|exe|scr)\P{L}*$/iu;
const DEVICE = /^(con|nul|lpt1)(\.|$)/i;

const picker =
  (random: () => number) =>
  <T>(values: readonly T[]): T =>
    values[Math.floor(random() * values.length)] as T;

function names(random: () => number, archives: number): Outcome {
  const pick = picker(random);
  const broken: string[] = [];
  let kept = 0;
  for (let nth = 0; nth < archives; nth++) {
    const saved: Workspace['saved'] = new Map();
    const workspace = { saved, written: new Map() } as Pick<Workspace, 'saved' | 'written'> as Workspace;
    for (let at = 0; at < NAMES_OF_ARCHIVE; at++) saveText(workspace, `${pick(STEMS)}${pick(ENDS)}`, 'x');
    const archive = zipFiles([...saved.keys()].map((name) => ({ name, bytes: Buffer.from('x') })));
    const entries = Object.keys(unzipSync(archive));
    kept += entries.length;
    if (entries.length !== saved.size) broken.push(`of ${[...saved.keys()]} only ${entries} were unpacked`);
    if (new Set(entries.map((name) => name.normalize('NFC').toLowerCase())).size < entries.length)
      broken.push(`two of ${entries} differ in case only`);
    const harmful = entries.filter((name) => STARTED.test(name) || DEVICE.test(name) || /[/\\]|\.\./.test(name));
    broken.push(...harmful.map((name) => `${name} was saved`));
  }
  if (kept === 0) broken.push('no file was saved');
  return { what: 'names of saved files', tried: archives * NAMES_OF_ARCHIVE, broken };
}

const SIGNS = ['=', '+', '-', '@', '|', '＝'];
const SEPARATORS = [',', ';', '\t'] as const;

/** Every space, invisible character, quote and percentage before every sign of a formula. */
function cells(): Outcome {
  const gaps = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter((character) =>
    /[\s"%\u2800\p{Zs}\p{Default_Ignorable_Code_Point}]/u.test(character),
  );
  const broken: string[] = [];
  let tried = 0;
  for (const gap of ['', ...gaps]) {
    for (const sign of SIGNS) {
      for (const separator of SEPARATORS) {
        tried += 2;
        const cell = `${gap}${sign}1+1`;
        const written = [toCsvCell(cell), toSafeCsv(`a${separator}${cell}${separator}b`)];
        if (written.some((text) => formulasInCsv(text, separator).length > 0)) broken.push(JSON.stringify(cell));
      }
    }
  }
  return { what: 'cells that begin like a formula', tried, broken };
}

export const savedFiles: Part = {
  name: 'saved',
  promise: 'What a model saves is harmless to open',
  async run({ seed, size }) {
    return [names(seededRandom(seed), ARCHIVES * size), cells()];
  },
};
