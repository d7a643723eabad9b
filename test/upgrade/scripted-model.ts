/** A scripted model server: `openai/gone` does not exist, `openai/hangs` and any second step get no answer. */
import { type Answering, json } from '../model/stub-server.ts';

export const STEPS = ['Do the first step.', 'Do the second step.'];

export const modelAnswer = (content: string): Answering =>
  json({
    id: 'answer',
    object: 'chat.completion',
    created: 0,
    model: 'test',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
  });

export const answerModel: Answering = (response, request) => {
  const { model, messages } = request.body as { model: string; messages: unknown };
  const isSecondStep = JSON.stringify(messages).includes(String(STEPS[1]));
  if (model === 'gone') json({ error: { message: 'no such model' } }, 404)(response, request);
  else if (model !== 'hangs' && !isSecondStep) modelAnswer('The first step is done.')(response, request);
};
