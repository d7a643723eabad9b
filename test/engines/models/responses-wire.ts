/** The wire format of OpenAI's Responses API, which Azure has as well: https://platform.openai.com/docs/api-reference/responses-streaming */
import { type Encoded, type Piece, streamOf, type Wire } from './scripted-provider.ts';
import { json } from './stub-server.ts';

const INCOMPLETE = { length: 'max_output_tokens', filter: 'content_filter' } as const;

const event = (type: string, fields: object): Encoded =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: 1, ...fields })}\n\n`;

const RESPONSE = { id: 'resp_1', object: 'response', created_at: 1, model: 'm' };

function responsesEvents(piece: Piece, at: number, pieces: readonly Piece[]): Encoded[] {
  const isFirst = pieces.findIndex((other) => !('waitMs' in other)) === at;
  const start = isFirst ? [event('response.created', { response: { ...RESPONSE, status: 'in_progress' } })] : [];
  return [...start, ...eventsOf(piece, at, pieces)];
}

function eventsOf(piece: Piece, at: number, pieces: readonly Piece[]): Encoded[] {
  const item = (type: string, fields: object = {}) => ({
    output_index: at,
    item: { id: `item_${at}`, type, ...fields },
  });
  const place = { item_id: `item_${at}`, output_index: at, content_index: 0 };
  if ('text' in piece) {
    return [
      event('response.output_item.added', item('message', { role: 'assistant', content: [] })),
      event('response.output_text.delta', { ...place, delta: piece.text }),
      event('response.output_item.done', item('message', { role: 'assistant', status: 'completed' })),
    ];
  }
  if ('reasoning' in piece) {
    const summary = { item_id: `item_${at}`, output_index: at, summary_index: 0 };
    const encrypted_content = `sealed ${piece.reasoning}`;
    return [
      event('response.output_item.added', item('reasoning', { summary: [], encrypted_content: null })),
      event('response.reasoning_summary_part.added', { ...summary, part: { type: 'summary_text', text: '' } }),
      event('response.reasoning_summary_text.delta', { ...summary, delta: piece.reasoning }),
      event('response.reasoning_summary_part.done', summary),
      event('response.output_item.done', item('reasoning', { encrypted_content })),
    ];
  }
  if ('call' in piece) {
    const { call: name, id: call_id = `call_${at}`, input } = piece;
    return [
      event('response.output_item.added', item('function_call', { call_id, name, arguments: '' })),
      ...input.map((delta) => event('response.function_call_arguments.delta', { ...place, delta })),
      event(
        'response.output_item.done',
        item('function_call', { call_id, name, arguments: input.join(''), status: 'completed' }),
      ),
    ];
  }
  if ('keepAlive' in piece) return [event('response.in_progress', { response: RESPONSE })];
  if ('error' in piece) return [event('error', { code: 'server_error', message: piece.error, param: null })];
  if ('finish' in piece) return finish(piece.finish, at, pieces);
  return [];
}

/** The last event has the usage. */
function finish(reason: 'stop' | 'length' | 'filter' | 'refusal' | 'calls', at: number, pieces: readonly Piece[]) {
  const place = { item_id: `item_${at}`, output_index: at, content_index: 0 };
  const refusal = reason === 'refusal' ? [event('response.refusal.delta', { ...place, delta: 'I will not.' })] : [];
  const counted = pieces.find((piece) => 'usage' in piece)?.usage;
  const usage = counted && {
    input_tokens: counted.input,
    input_tokens_details: { cached_tokens: counted.cached ?? 0 },
    output_tokens: counted.output,
    output_tokens_details: { reasoning_tokens: counted.thinking ?? 0 },
    total_tokens: counted.input + counted.output,
  };
  const incomplete = reason === 'length' || reason === 'filter' ? INCOMPLETE[reason] : undefined;
  const status = incomplete === undefined ? 'completed' : 'incomplete';
  const incomplete_details = incomplete === undefined ? null : { reason: incomplete };
  return [...refusal, event(`response.${status}`, { response: { ...RESPONSE, status, incomplete_details, usage } })];
}

const stream = streamOf('text/event-stream', responsesEvents);
const tooLong = json(
  {
    error: {
      message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
      type: 'invalid_request_error',
      param: 'input',
      code: 'context_length_exceeded',
    },
  },
  400,
);

export const RESPONSES: Wire = {
  name: 'OpenAI’s Responses API',
  connection: (address, key) => ({ provider: 'openai', url: `${address}/v1`, key }),
  path: /\/v1\/responses$/,
  stream,
  tooLong,
};

export const AZURE: Wire = {
  name: 'Azure OpenAI',
  connection: (address, key) => ({ provider: 'azure', url: `${address}/openai/v1`, key }),
  path: /\/openai\/v1\/responses$/,
  stream,
  tooLong,
};
