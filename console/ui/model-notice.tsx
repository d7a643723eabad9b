/** Says before a task is submitted which language model answers and where files are sent, or that there is none. */
import { api } from '../api.ts';
import { config } from '../config.ts';
import { useApiData } from '../hooks.ts';
import { factsOfModels } from '../machine/local-only.ts';

const OFFLINE_MODEL = 'offline/extractive';

export function ModelNotice({ defaultModel }: { defaultModel: string | undefined }) {
  if (defaultModel === OFFLINE_MODEL) return <NoModelNotice />;
  return config.local && defaultModel !== undefined ? <FactsNotice defaultModel={defaultModel} /> : null;
}

const NoModelNotice = () => (
  <div class="notice">
    <p>
      No language model is configured: tasks show passages only.{' '}
      <a href="/docs/guides/connect-a-model.html" target="_blank" rel="noreferrer">
        How to connect one
      </a>
    </p>
  </div>
);

/** Only the product on one machine has these facts. */
function FactsNotice({ defaultModel }: { defaultModel: string }) {
  const { data } = useApiData('model facts', factsOfModels);
  const facts = data?.find(({ model }) => model === defaultModel);
  return facts ? (
    <div class="notice">
      <p>
        Tasks use <code>{facts.model}</code>; {facts.price}.{' '}
        {facts.sentTo === null
          ? 'Files that they read stay on this machine.'
          : `Files that they read are sent to ${facts.sentTo}.`}
      </p>
    </div>
  ) : null;
}

/** The notice of a page that needs the models for nothing else, and works without them. */
export function AskedModelNotice() {
  const { data } = useApiData('models', (signal) => api().models({ signal }));
  return <ModelNotice defaultModel={data?.default} />;
}
