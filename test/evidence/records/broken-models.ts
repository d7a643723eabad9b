/** Models that answer what no program expects, and a judge of what becomes of it: a valid record or an error, each with a reason. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { scriptedModel } from '../../agents/scripted-model.ts';
import type { Pair } from './pairs.ts';
import { type Answer, type Ran, saying } from './run-pair.ts';

type Ending = NonNullable<Extract<Parameters<typeof scriptedModel>[number], { text: string }>['ending']>;

const text =
  (said: string, ending: Ending = 'stop'): Answer =>
  (_, options) =>
    scriptedModel({ text: said, ending }).model.doGenerate(options);
const fields =
  (...all: unknown[]): Answer =>
  (_, options) =>
    saying(JSON.stringify({ fields: all }), options);

/** One proposal for every field that is asked for, with this in the place of a value. */
const forAll =
  (value: unknown, more: object = {}): Answer =>
  (prompt, options) => {
    const paths = [...prompt.matchAll(/"path":"([^"]+)"/g)].map(([, path = '']) => path.replace('*', '0'));
    const [, quote = ''] = /^\[.*\]\n+(.{1,300})/m.exec(prompt) ?? [];
    return saying(
      JSON.stringify({ fields: paths.map((path) => ({ path, value, document: 1, quote, ...more })) }),
      options,
    );
  };
const throwError =
  (error: () => Error): Answer =>
  () =>
    Promise.reject(error());
const changeAnswer =
  (change: (answer: Awaited<ReturnType<LanguageModelV4['doGenerate']>>) => object): Answer =>
  async (_, options) =>
    ({ ...(await saying('{}', options)), ...change(await saying('{}', options)) }) as Awaited<ReturnType<Answer>>;

export const BROKEN: Readonly<Record<string, Answer>> = {
  'no text': text(''),
  'white space': text(' \n\t '),
  prose: text('I am sorry, but I cannot help with that.'),
  'half of JSON': text('{"fields": [{"path": "a", "val', 'length'),
  'cut by a filter': text('{"fields": []', 'content-filter'),
  'an error as its end': text('', 'error'),
  'JSON of another form': text('[1, 2, 3]'),
  null: text('null'),
  'fields that are no list': text('{"fields": {"path": "x"}}'),
  'an endless text': text('a'.repeat(2_000_000)),
  'deep brackets': text('['.repeat(100_000)),
  'a web page': text('<!doctype html><h1>502</h1>'),
  'no content at all': changeAnswer(() => ({ content: [] })),
  'a tool that is not there': changeAnswer(() => ({
    content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'shell', input: '{}' }],
    finishReason: { unified: 'tool-calls', raw: undefined },
  })),
  'no counts of tokens': changeAnswer(() => ({ usage: { inputTokens: {}, outputTokens: {} } })),
  'unknown paths': fields({ path: 'nowhere', value: 1, document: 1, quote: 'x' }),
  'paths into the prototype': fields(
    ...['__proto__', 'constructor.prototype', 'lines.__proto__.price', '', '..', 'lines.999999.price'].map((path) => ({
      path,
      value: 1,
      document: 1,
      quote: 'Harbour',
    })),
  ),
  'nested values': forAll({ $ref: '#' }),
  'a list of values': forAll([1, 2]),
  'null as a value': forAll(null),
  'a value that is too large': forAll(1e308),
  'a fraction for everything': forAll(1.5),
  'true for everything': forAll(true),
  'a text for everything': forAll('Harbour'),
  'an endless value': forAll('9'.repeat(100_000)),
  'an endless quote': forAll('Harbour', { quote: 'Harbour '.repeat(10_000) }),
  'no quote': forAll('Harbour', { quote: '' }),
  'another document': forAll('Harbour', { document: 1e9 }),
  'a thousand times the same': fields(
    ...Array.from({ length: 1_000 }, (_, at) => ({
      path: `lines.${at}.article`,
      value: 'Rope',
      document: 1,
      quote: 'Rope',
    })),
  ),
  'a fault of the program': throwError(() => new TypeError('x is not a function')),
  'a lost connection': throwError(() => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })),
};

const ajv = new Ajv2020({ strict: false, validateFormats: false });

/** What is wrong with how a pair ended; undefined if nothing is. */
export function faultOf(pair: Pair, { record, schema, failure }: Ran): string | undefined {
  if (failure) return failure.message === '' ? `pair ${pair.seed}: an error without words` : undefined;
  if (!record || !schema) return `pair ${pair.seed}: neither a record nor an error`;
  const data: unknown = JSON.parse(JSON.stringify(record.data));
  if (!ajv.validate(schema, data)) return `pair ${pair.seed}: ${ajv.errorsText()}`;
  const silent = record.fields.find(({ value, reason }) => value === null && reason === '');
  return silent && `pair ${pair.seed}: ${silent.path} is missing without a reason`;
}
