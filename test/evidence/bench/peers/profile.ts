/** Profiles the product's main thread under load, by area of the code. Idle time is left out. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { makeOrganizations, startErrand } from '../tasks/errand.ts';
import { rateOf } from './load.ts';
import { startSignedReceiver } from './receiver.ts';

type Node = { id: number; callFrame: { functionName: string; url: string } };
type Profile = { nodes: Node[]; samples: number[]; timeDeltas: number[] };

export type Share = { area: string; share: number };

/** The first match wins. SQLite is native code, so its time is attributed to the calling function. */
const AREAS: [area: string, functionName: RegExp, url: RegExp][] = [
  ['clearing memory', /^\(garbage collector\)$/, /^$/],
  ['SQLite: begin, commit, pages', /./, /local\/grouped-writes\.ts$/],
  ['SQLite: statements', /./, /local\/(table|database)/],
  [
    'sockets: writing, reading',
    /^(write\w+|on\w*read\w*|readStop|readStart|shutdown)$/i,
    /^$|node:(net|internal\/stream)/,
  ],
  ['HTTP of callers', /./, /node:_http_(server|incoming)|local\/server|functions\/http/],
  ['HTTP to receivers', /./, /node:_http_(client|agent)|engines\/outbound/],
  ['HTTP, either way', /./, /node:(_http|http)/],
  [
    'streams, events, timers of Node',
    /./,
    /node:(internal\/(streams|event|timers|abort|process)|events|timers|net|async_hooks|diagnostics)/,
  ],
  ['signatures and hashes', /./, /node:(internal\/)?crypto/],
  ['library of models', /./, /node_modules\/(ai|@ai-sdk)\//],
  ['checks of fields', /./, /node_modules\/valibot\//],
  ['the product itself', /./, /\/(shared|functions|engines|local|bin)\//],
];
const REST = 'Node and V8, the rest';

const areaOf = ({ callFrame: { functionName, url } }: Node): string =>
  AREAS.find(([, name, place]) => name.test(functionName || '-') && place.test(url))?.[0] ?? REST;

/** The shares sum to 1, sorted in descending order. */
function sharesOf({ nodes, samples, timeDeltas }: Profile): Share[] {
  const areas = new Map(
    nodes.map((node) => [node.id, node.callFrame.functionName === '(idle)' ? undefined : areaOf(node)]),
  );
  const sums = new Map<string, number>();
  let all = 0;
  for (const [at, sample] of samples.entries()) {
    const area = areas.get(sample);
    if (area === undefined) continue;
    const spent = timeDeltas[at] ?? 0;
    all += spent;
    sums.set(area, (sums.get(area) ?? 0) + spent);
  }
  return [...sums].map(([area, spent]) => ({ area, share: spent / all })).sort((a, b) => b.share - a.share);
}

export async function profileOf(o: { organizations: number; tasks: number }): Promise<Share[]> {
  const folder = temporaryFolder();
  const receiver = await startSignedReceiver();
  const state = join(folder.path, 'state');
  const made = await makeOrganizations(state, o.organizations);
  const usual = process.env.NODE_OPTIONS;
  process.env.NODE_OPTIONS = `--cpu-prof --cpu-prof-dir=${folder.path}`;
  const side = await startErrand(state, made, receiver.endpoint);
  process.env.NODE_OPTIONS = usual ?? '';
  await rateOf(side, receiver, o.tasks);
  await side.stop();
  receiver.stop();
  const profiles = readdirSync(folder.path).filter((name) => name.endsWith('.cpuprofile'));
  const longest = profiles
    .map((name) => JSON.parse(readFileSync(join(folder.path, name), 'utf8')) as Profile)
    .sort((a, b) => b.samples.length - a.samples.length)[0];
  folder.remove();
  if (!longest) throw new Error('The product left no profile.');
  return sharesOf(longest);
}
