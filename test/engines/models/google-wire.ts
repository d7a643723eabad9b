/** The wire format of Google's streamGenerateContent: https://ai.google.dev/api/generate-content */
import { type Encoded, type Piece, streamOf, type Wire } from './scripted-provider.ts';
import { json } from './stub-server.ts';

const FINISH_REASONS = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  filter: 'SAFETY',
  refusal: 'PROHIBITED_CONTENT',
  calls: 'STOP',
} as const;

const chunk = (fields: object): Encoded[] => [
  `data: ${JSON.stringify({ ...fields, modelVersion: 'm', responseId: 'r1' })}\r\n\r\n`,
];
const candidate = (parts: object[], more: object = {}): Encoded[] =>
  chunk({ candidates: [{ content: { parts, role: 'model' }, index: 0, ...more }] });

function googleEvents(piece: Piece): Encoded[] {
  if ('text' in piece) return candidate([{ text: piece.text }]);
  if ('reasoning' in piece) return candidate([{ text: piece.reasoning, thought: true }]);
  if ('call' in piece) {
    // Google sends the arguments of a call whole, as an object.
    const args = JSON.parse(piece.input.join(''));
    return candidate([{ functionCall: { name: piece.call, args }, thoughtSignature: `signature of ${piece.call}` }]);
  }
  if ('keepAlive' in piece) return [': keep-alive\r\n\r\n'];
  if ('error' in piece) return chunk({ error: { code: 503, message: piece.error, status: 'UNAVAILABLE' } });
  if ('finish' in piece) return candidate([], { finishReason: FINISH_REASONS[piece.finish] });
  if ('usage' in piece) {
    const { input, output, cached = 0, thinking = 0 } = piece.usage;
    return chunk({
      usageMetadata: {
        promptTokenCount: input,
        candidatesTokenCount: output - thinking,
        thoughtsTokenCount: thinking,
        cachedContentTokenCount: cached,
        totalTokenCount: input + output,
      },
    });
  }
  return [];
}

export const GOOGLE: Wire = {
  name: 'Google’s streamGenerateContent',
  connection: (address, key) => ({ provider: 'google', url: `${address}/v1beta`, key }),
  path: /\/v1beta\/models\/[\w.-]+:streamGenerateContent\?alt=sse$/,
  stream: streamOf('text/event-stream', googleEvents),
  tooLong: json(
    {
      error: {
        code: 400,
        message: 'The input token count (9000) exceeds the maximum number of tokens allowed (8192).',
        status: 'INVALID_ARGUMENT',
      },
    },
    400,
  ),
};
