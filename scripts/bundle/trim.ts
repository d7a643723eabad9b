/** Leaves out of a bundle what esbuild cannot know to be unused on Lambda. */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Loader, Plugin } from 'esbuild';

/** Only the version is read, by our own health route. */
function manifest(text: string): string {
  const { version } = JSON.parse(text) as { version: string };
  return JSON.stringify({ version });
}

/** The AI SDK validates with it; only our own logs show its error texts. */
const languages = () => `export { default as en } from './en.js';`;

/** Makes schemas of JSON schemas: neither the product nor the AI SDK asks for it. */
const schemaReader = () => `export const fromJSONSchema = () => { throw new Error('left out'); };`;

/** Compiles schemas ahead, for which nothing asks; a schema that cannot be compiled is returned as it is. */
const schemaCompiler = () =>
  `export const INVALID = Symbol.for('zod.compile.invalid');
   export class ZodCompileAsyncError extends Error {}
   export class ZodCompileUnsupportedError extends Error {}
   export const compile = (schema) => schema;
   export const withParser = (schema) => schema;
   export const compileFn = () => { throw new ZodCompileUnsupportedError('left out'); };`;

/** The CSS parser: the trees that the reader builds contain no style sheets. */
const sheets = (text: string) => text.replace(/import \{parse\} from 'cssomnom\/parse';/, 'const parse = () => null;');

/** The AI SDK's hosted gateway serves models that are named by a string; the product always passes a provider's model object. */
const gateway = () =>
  `export class GatewayError extends Error { static isInstance() { return false; } }
   export const GatewayAuthenticationError = GatewayError;
   export const createGateway = () => { throw new Error('left out'); };
   export const gateway = undefined;`;

/** Maps file names to media types and back: each attachment that the product sends has both. */
const fileTypes = () =>
  `export const detectMimeType = () => 'application/octet-stream';
   export const detectExtension = () => 'bin';`;

const changes: [file: RegExp, changed: (text: string) => string, loader: Loader][] = [
  [/[\\/]package\.json$/, manifest, 'json'],
  [/[\\/]linkedom[\\/]esm[\\/]html[\\/]style-element\.js$/, sheets, 'js'],
  [/[\\/]@ai-sdk[\\/]gateway[\\/]dist[\\/]index\.js$/, gateway, 'js'],
  [/[\\/]nodemailer[\\/]dist[\\/]esm[\\/]mime-funcs[\\/]mime-types\.js$/, fileTypes, 'js'],
  [/[\\/]zod[\\/]v4[\\/]classic[\\/]from-json-schema\.js$/, schemaReader, 'js'],
  [/[\\/]zod[\\/]v4[\\/]core[\\/]compile\.js$/, schemaCompiler, 'js'],
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
