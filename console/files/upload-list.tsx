/** What is being uploaded, how far it is, and what became of it. */
import { bytes } from '../format.ts';
import { RowFault } from './row-fault.tsx';
import { clearDone, drop, repeat, type Upload } from './uploads.ts';

export function UploadList({ all }: { all: readonly Upload[] }) {
  if (all.length === 0) return null;
  return (
    <section class="stack uploads" aria-label="Uploads">
      <ul class="rows">
        {all.map((upload) => (
          <Row key={upload.id} upload={upload} />
        ))}
      </ul>
      {all.some(({ state }) => state === 'done') && (
        <div class="actions">
          <button type="button" class="button quiet" onClick={clearDone}>
            Clear what is done
          </button>
        </div>
      )}
    </section>
  );
}

function Row({ upload: { id, file, state, sentBytes, fault } }: { upload: Upload }) {
  const share = file.size === 0 ? 0 : Math.floor((sentBytes / file.size) * 100);
  const word = state === 'failed' ? 'Remove' : 'Cancel';
  return (
    <li class="upload" data-state={state}>
      <span class="clip">{file.name}</span>
      <span class="small muted nowrap">{bytes(file.size)}</span>
      <progress max={100} value={share} aria-label={`Upload of ${file.name}`} />
      <span class="small muted nowrap">{state === 'sending' ? `${share} %` : WORDS[state]}</span>
      <span class="actions">
        {state === 'failed' && (
          <button type="button" class="button" aria-label={`Upload ${file.name} again`} onClick={() => repeat(id)}>
            Again
          </button>
        )}
        {state !== 'done' && (
          <button type="button" class="button quiet" aria-label={`${word} ${file.name}`} onClick={() => drop(id)}>
            {word}
          </button>
        )}
      </span>
      <RowFault fault={fault} />
    </li>
  );
}

const WORDS = { waiting: 'waits', sending: '', done: 'done', failed: 'failed' } as const;
