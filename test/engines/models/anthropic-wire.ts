/** The wire format of Anthropic's Messages API: https://platform.claude.com/docs/en/build-with-claude/streaming */
import { type Encoded, type Piece, streamOf, type Wire } from './scripted-provider.ts';
import { json } from './stub-server.ts';

const STOP_REASONS = {
  stop: 'end_turn',
  length: 'max_tokens',
  filter: 'refusal',
  refusal: 'refusal',
  calls: 'tool_use',
} as const;

const event = (type: string, fields: object = {}): Encoded =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

const usageIn = (pieces: readonly Piece[]) => pieces.find((piece) => 'usage' in piece)?.usage;

/** The first event of each answer counts what was sent; what was read from the cache is counted apart. */
function messageStart(pieces: readonly Piece[]): Encoded {
  const { input = 0, cached = 0 } = usageIn(pieces) ?? {};
  const usage = {
    input_tokens: input - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: 1,
  };
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    usage,
  };
  return event('message_start', { message });
}

function block(index: number, content_block: object, deltas: object[]): Encoded[] {
  return [
    event('content_block_start', { index, content_block }),
    ...deltas.map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ];
}

function anthropicEvents(piece: Piece, at: number, pieces: readonly Piece[]): Encoded[] {
  const isFirst = pieces.findIndex((other) => !('waitMs' in other)) === at;
  return [...(isFirst ? [messageStart(pieces)] : []), ...eventsOf(piece, at, pieces)];
}

function eventsOf(piece: Piece, at: number, pieces: readonly Piece[]): Encoded[] {
  if ('text' in piece) return block(at, { type: 'text', text: '' }, [{ type: 'text_delta', text: piece.text }]);
  if ('reasoning' in piece) {
    return block(at, { type: 'thinking', thinking: '', signature: '' }, [
      { type: 'thinking_delta', thinking: piece.reasoning },
      { type: 'signature_delta', signature: `signature of ${piece.reasoning}` },
    ]);
  }
  if ('call' in piece) {
    const { call: name, id = `toolu_${at}`, input } = piece;
    const deltas = input.map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    return block(at, { type: 'tool_use', id, name, input: {} }, deltas);
  }
  if ('keepAlive' in piece) return [event('ping')];
  if ('error' in piece) return [event('error', { error: { type: 'overloaded_error', message: piece.error } })];
  if ('finish' in piece) {
    const { output, thinking } = usageIn(pieces) ?? {};
    const usage = {
      ...(output === undefined ? {} : { output_tokens: output }),
      ...(thinking === undefined ? {} : { output_tokens_details: { thinking_tokens: thinking } }),
    };
    const delta = { stop_reason: STOP_REASONS[piece.finish], stop_sequence: null };
    return [event('message_delta', { delta, usage })];
  }
  return 'usage' in piece ? [event('message_stop')] : [];
}

export const ANTHROPIC: Wire = {
  name: 'Anthropic’s Messages API',
  connection: (address, key) => ({ provider: 'anthropic', url: `${address}/v1`, key }),
  path: /\/v1\/messages$/,
  stream: streamOf('text/event-stream', anthropicEvents),
  tooLong: json(
    {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 9000 tokens > 8192 maximum' },
    },
    400,
  ),
};
