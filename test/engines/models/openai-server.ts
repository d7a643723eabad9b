/** A server on this machine that answers as OpenAI's protocol says: by tools, in a schema, and of pictures. */
import { calls, OPENAI, says } from './scripted-provider.ts';
import { type Answering, json, stubServer } from './stub-server.ts';

type ServerOptions = {
  key?: string;
  models?: readonly string[];
  /** What replaces the usual answer, by what was asked for. */
  tools?: Answering;
  schema?: Answering;
  pictures?: Answering;
};

const fault = (message: string, status: number) => json({ error: { message } }, status);

export async function openAiServer({ key, models = ['large', 'small'], ...answers }: ServerOptions = {}) {
  const server = await stubServer((response, asked) => {
    const { path, headers, body } = asked;
    const answer = () => {
      if (key !== undefined && headers.authorization !== `Bearer ${key}`)
        return fault(`Incorrect API key provided: ${headers.authorization}`, 401);
      if (path === '/v1/models') return json({ data: models.map((id) => ({ id })) });
      if (path !== '/v1/chat/completions') return fault('no such path', 404);
      return models.includes(String(body.model)) ? completion(body, answers) : fault('no such model', 404);
    };
    answer()(response, asked);
  });
  return { ...server, url: `${server.address}/v1` };
}

function completion(body: Record<string, unknown>, { tools, schema, pictures }: ServerOptions): Answering {
  if (pictures && JSON.stringify(body.messages).includes('image_url')) return pictures;
  if (body.tools) return tools ?? OPENAI.stream(...calls('report', { colour: 'red' }));
  if (body.response_format) return schema ?? OPENAI.stream(...says('{"colour": "red"}'));
  return OPENAI.stream(...says('Yes.'));
}
