/** A model for workloads: a server of OpenAI's protocol that answers every call of every agent by a script, the same each time. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { filledSchema } from './fill-schema.ts';
import { OPENAI, type Piece } from './scripted-provider.ts';
import type { Answering, Asked } from './stub-server.ts';
import { isReport, workloadReport } from './workload-report.ts';
import { isSecondLook, workloadVerdicts } from './workload-verdicts.ts';

export const WORKLOAD_MODEL = 'openai/scripted';
/** The models of an organization with a workload: the scripted one by default. */
export const WORKLOAD_MODELS = [WORKLOAD_MODEL, 'offline/extractive'];

type Message = { role: string; content?: string | { text?: string }[] };
type Body = {
  messages: Message[];
  tools?: { function: { name: string } }[];
  response_format?: { json_schema?: { schema: object } };
};

const CHARACTERS_OF_TOKEN = 4;
const tokensIn = (text: string): number => Math.ceil(text.length / CHARACTERS_OF_TOKEN);

const contentOf = ({ content = '' }: Message): string =>
  typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('\n');

/** Streams the answer word by word, as a model does, and reports its tokens. */
export const answerWorkload: Answering = (response, asked) => {
  const pieces = piecesFor(asked.body as Body);
  const said = pieces.map((piece) => ('text' in piece ? piece.text : 'call' in piece ? piece.input.join('') : ''));
  const usage = { input: tokensIn(JSON.stringify(asked.body)), output: tokensIn(said.join('')) };
  OPENAI.stream(...pieces, { usage })(response, asked);
};

function piecesFor({ messages, tools = [], response_format: format }: Body): Piece[] {
  const schema = format?.json_schema?.schema;
  const request = messages
    .filter(({ role }) => role === 'user')
    .map(contentOf)
    .join('\n');
  if (schema && isSecondLook(request)) return says(JSON.stringify(workloadVerdicts(request)));
  if (schema && isReport(request)) return says(JSON.stringify(workloadReport(request)));
  if (schema) return says(JSON.stringify(filledSchema(schema, request)));
  const results = messages.filter(({ role }) => role === 'tool').map(contentOf);
  const readsFiles = tools.some(({ function: { name } }) => name === 'read_file');
  if (readsFiles && results.length === 0) {
    return [{ call: 'read_file', input: ['{"file":1}'] }, { finish: 'calls' }];
  }
  return says(
    readsFiles
      ? citedText(results.at(-1) ?? '')
      : `No file is attached. The request was: ${request.slice(0, MAX_REPEATED)}`,
  );
}

const says = (text: string): Piece[] => [
  ...(text.match(/\s*\S+/g) ?? []).map((word) => ({ text: word })),
  { finish: 'stop' },
];

/** The beginning of the file, with its name and the place. */
function citedText(result: string): string {
  const { name, parts: [part] = [] } = JSON.parse(result) as {
    name?: string;
    parts?: { place: string; text: string }[];
  };
  return part ? `The file begins: ${part.text.slice(0, MAX_CITED)} [${name}, ${part.place}]` : 'The file has no text.';
}
const MAX_CITED = 2_000;
const MAX_REPEATED = 200;

/** Its own server, for a product on this machine. `environment` are the settings that lead the product to it. */
export async function startWorkloadModel() {
  const server = createServer(async (request, response) => {
    const asked: Asked = {
      path: request.url ?? '',
      headers: request.headers,
      body: JSON.parse(await readText(request)),
    };
    answerWorkload(response, asked);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return {
    environment: { ERRAND_OPENAI_ADDRESS: address },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
