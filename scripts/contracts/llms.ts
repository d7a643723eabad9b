/** Writes one text with all that a language model needs to call both APIs. */

type Operation = {
  summary: string;
  description: string;
  tags: [string];
  requestBody?: { content: Record<string, { schema: { $ref: string } }> };
};
type Document = {
  info: { title: string; version: string; description: string };
  paths: Record<string, Record<string, Operation>>;
};

const HEAD = `# Errand

> Files, asynchronous AI tasks and background agents as a service. Two HTTP APIs and a WebSocket channel.

Files & Tasks: \`Authorization: Bearer <API key>\`, base \`{root}/api/v1\`; errors are \`{"error": "text"}\`.
Background agents: log in by \`POST /auth/login\`, then \`Authorization: Bearer <access_token>\`; errors are
\`{"error": {code, message, details, request_id, timestamp}}\`. Every POST takes an \`Idempotency-Key\`; 429 and 503 have
\`Retry-After\`. Tasks run behind the answer: poll as \`Retry-After\` says, wait for the webhook, or listen on the WebSocket.

## Contracts

- [OpenAPI of each API](/openapi.json): at the root of each
- [AsyncAPI of the WebSocket](/asyncapi.json): at the root of the background agents
- TypeScript client: in the folder \`client/\` of the repository; it is not published, so build it with \`npm pack ./client\``;

export function llmsText(documents: Document[]): string {
  return `${[HEAD, ...documents.map(sectionOf)].join('\n\n')}\n`;
}

function sectionOf({ info, paths }: Document): string {
  const lines = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { description, requestBody }]) => {
      const body = requestBody?.content['application/json']?.schema.$ref.split('/').at(-1);
      return `- \`${method.toUpperCase()} ${path}\`: ${description}${body ? ` Body: ${body}.` : ''}`;
    }),
  );
  return `## ${info.title.replace('Errand: ', '')}\n\n${info.description}\n\n${lines.join('\n')}`;
}
