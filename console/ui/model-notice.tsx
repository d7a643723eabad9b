/** Says before a task is submitted that the organization has no language model. */
import { api } from '../api.ts';
import { useAsked } from '../hooks.ts';

const OFFLINE_MODEL = 'offline/extractive';

export const ModelNotice = ({ defaultModel }: { defaultModel: string | undefined }) =>
  defaultModel === OFFLINE_MODEL ? (
    <div class="notice">
      <p>
        No language model is configured: tasks show passages only.{' '}
        <a href="/docs/guides/models.html" target="_blank" rel="noreferrer">
          How to connect one
        </a>
      </p>
    </div>
  ) : null;

/** The notice of a page that needs the models for nothing else, and works without them. */
export function AskedModelNotice() {
  const { data } = useAsked('models', (signal) => api().models({ signal }));
  return <ModelNotice defaultModel={data?.default} />;
}
