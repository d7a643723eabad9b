/** The small calls with which a model is tried: what is sent, and what comes back. */
import { APICallError, type LanguageModelV4, type LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { SECOND_MS } from '../../shared/core/time.ts';
import { isOutboundFailure, type OutboundFailure } from '../outbound/failure.ts';
import type { OutboundRequest } from '../outbound/request.ts';
import { BrokenStream, readStream } from './streaming.ts';

const MAX_OUTPUT = 2_000;
export const COLOUR = 'red';
/** A red square. Some models refuse a picture of a few pixels. */
const RED_SQUARE =
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAATUlEQVR42u3PQQkAAAgAseuf0TBG8C0MVmBNvZaAgICAgICAgICAgICAgICA' +
  'gICAgICAgICAgICAgICAgICAgICAgICAgICAgICAwGUBYffAxH86nSMAAAAASUVORK5CYII=';
const ANSWER = {
  type: 'object',
  properties: { colour: { type: 'string' } },
  required: ['colour'],
  additionalProperties: false,
} as const;

const TOOL = { type: 'function', name: 'report', description: 'Takes the answer.', inputSchema: ANSWER } as const;
const CALL_IT = 'Call the tool "report" once, with the name of a colour in English:';

type Content = Extract<LanguageModelV4CallOptions['prompt'][number], { role: 'user' }>['content'];
const text = (words: string): Content[number] => ({ type: 'text', text: words });
const toCall = (...content: Content): LanguageModelV4CallOptions => ({
  prompt: [{ role: 'user', content }],
  maxOutputTokens: MAX_OUTPUT,
});

const PICTURE: Content[number] = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: RED_SQUARE } };
export const PLAIN = toCall(text('Say yes.'));
export const ASKED = { ...toCall(text(`${CALL_IT} ${COLOUR}.`)), tools: [TOOL] };
export const SHOWN = { ...toCall(PICTURE, text(`${CALL_IT} that of the picture.`)), tools: [TOOL] };
export const PICTURE_ALONE = toCall(PICTURE, text('Which colour has the picture? Answer with its name in English.'));
export const IN_SCHEMA: LanguageModelV4CallOptions = {
  ...toCall(text(`Answer in JSON: {"colour": "${COLOUR}"}.`)),
  responseFormat: { type: 'json', schema: ANSWER, name: 'answer' },
};

/** What passed over the connection in the last call. */
export type Observation = { failure?: OutboundFailure; status?: number; type?: string };

export const withObservation =
  (request: OutboundRequest, observation: Observation): OutboundRequest =>
  async (address, options) => {
    delete observation.failure;
    delete observation.status;
    try {
      const response = await request(address, options);
      observation.status = response.status;
      observation.type = response.headers['content-type'] ?? '';
      return response;
    } catch (error) {
      if (isOutboundFailure(error)) observation.failure = error;
      throw error;
    }
  };

export type Fault = { observation: Observation; message: string; isRefusal: boolean; isLate: boolean };
export type Answer = { text: string; calledTool: boolean; streams: boolean; fault?: Fault };
export type Call = (options: LanguageModelV4CallOptions) => Promise<Answer>;

/** A local server may have to load the model first. */
export const PATIENCE_MS = 120 * SECOND_MS;
const LIMITS = { firstTokenMs: PATIENCE_MS, nextTokenMs: PATIENCE_MS };
/** With another status, the same call without a tool or a picture fails as well. */
const REFUSING = new Set([400, 404, 405, 415, 422, 500, 501]);

export function callsTo(model: LanguageModelV4, observation: Observation): Call {
  return async (options) => {
    try {
      const { content } = await readStream(model, options, { limits: LIMITS, onToken: () => undefined });
      const call = content.find((part) => part.type === 'tool-call');
      const words = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
      const streams = /event-?stream/.test(observation.type ?? '');
      return { text: call ? call.input : words, calledTool: call !== undefined, streams };
    } catch (error) {
      return { text: '', calledTool: false, streams: false, fault: faultOf(error, { ...observation }) };
    }
  };
}

function faultOf(error: unknown, observation: Observation): Fault {
  const cause = error instanceof BrokenStream ? error.cause : error;
  const message = APICallError.isInstance(cause) ? cause.message : '';
  const isLate = isOutboundFailure(cause) && cause.kind === 'failed' && cause.reason === 'idleTime';
  const isRefusal = REFUSING.has(observation.status ?? 0) || (observation.status === 200 && !isLate);
  return { observation, message, isRefusal, isLate };
}
