/** Leaves out of a bundle what esbuild cannot know to be unused on Lambda. */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Loader, Plugin } from 'esbuild';

/** Only the version is read: by the SDK's user agent, and by our own health route. */
function manifest(text: string): string {
  const { version } = JSON.parse(text) as { version: string };
  return JSON.stringify({ version });
}

const TEXT = /^const (\w+) = ("[^"\n]*");$/gm;
const COMPUTED_NAME = /\[(\w+)\]:/g;

/** A name in brackets might run code, so esbuild would keep every shape of S3. As plain text it keeps the few in use. */
function shapes(text: string): string {
  const values = new Map(Array.from(text.matchAll(TEXT), ([, name, value]) => [name, value]));
  return text.replace(COMPUTED_NAME, (as, name) => (values.has(name) ? `${values.get(name)}:` : as));
}

/** Lambda hands a role's credentials over in the environment; single sign-on, profiles and the like never apply there. */
const credentials = () => `export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';`;

/** No operation of ours streams events. */
const eventStreams = () => `
  export const resolveEventStreamSerdeConfig = (input) => input;
  export const eventStreamSerdeProvider = () => undefined;`;

const NAMES = /\b[A-Z]\w+/g;

/** Bedrock's library brings their form along, which lies behind what is left out above. */
const eventForms = (text: string) =>
  (text.match(NAMES) ?? []).map((name) => `export { ${name} } from '${FORMS}/${name}.js';`).join('\n');
const FORMS = '../../core/dist-es/submodules/event-streams/eventstream-codec';

/** DynamoDB's clients can ask where to go; ours is never told to, so the answers need no place. */
const endpointCache = () => 'export class EndpointCache {}';

/** The models' library checks with it, and what it finds wrong is read by nobody but us. */
const languages = () => `export { default as en } from './en.js';`;

/** Checksums of S3's bytes take Node's own, which is loaded for the first of them: most calls have none. */
const checksums = (text: string) =>
  text
    .replace('import * as zlib from "node:zlib";', '')
    .replace(/typeof zlib\.crc32 [^;]*/, `(data, value) => process.getBuiltinModule('node:zlib').crc32(data, value)`);

const changes: [file: RegExp, changed: (text: string) => string, loader: Loader][] = [
  [/[\\/]package\.json$/, manifest, 'json'],
  [/[\\/]schemas[\\/]schemas_0\.js$/, shapes, 'js'],
  [/[\\/]credential-provider-node[\\/]dist-es[\\/]index\.js$/, credentials, 'js'],
  [/[\\/]core[\\/]dist-es[\\/]submodules[\\/]event-streams[\\/]index\.js$/, eventStreams, 'js'],
  [/[\\/]@smithy[\\/]eventstream-codec[\\/]dist-es[\\/]index\.js$/, eventForms, 'js'],
  [/[\\/]crc32[\\/]Crc32Node\.js$/, checksums, 'js'],
  [/[\\/]endpoint-cache[\\/]dist-es[\\/]index\.js$/, endpointCache, 'js'],
  [/[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/, languages, 'js'],
];

export const trim: Plugin = {
  name: 'trim',
  setup({ onLoad }) {
    for (const [filter, changed, loader] of changes) {
      onLoad({ filter }, ({ path }) => ({
        contents: changed(readFileSync(path, 'utf8')),
        loader,
        resolveDir: dirname(path),
      }));
    }
  },
};
