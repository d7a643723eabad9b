/** A file in the list: downloaded by an address that is made for it, deleted after a second word. */
import { useState } from 'preact/hooks';
import type { ErrandError, FilesContract } from '../../client/src/index.ts';
import { api, faultOf } from '../api.ts';
import { bytes } from '../format.ts';
import { Time } from '../ui/time.tsx';
import { RowFault } from './row-fault.tsx';

type Props = { file: FilesContract.FileInList; mayDelete: boolean; onGone: () => void };

export function FileRow({ file: { fileId, fileName, mimeType, size, createdAt }, mayDelete, onGone }: Props) {
  const [fault, setFault] = useState<ErrandError>();
  const [isAsked, setAsked] = useState(false);
  const tried = (work: Promise<unknown>) => {
    setFault(undefined);
    work.catch((error) => setFault(faultOf(error)));
  };
  const remove = () => tried(api().files.delete(fileId).then(onGone));
  return (
    <li class="file">
      <span class="row-name">
        <strong>{fileName}</strong>
        <span class="small muted">{mimeType}</span>
      </span>
      <span class="small muted nowrap">{bytes(size)}</span>
      <span class="small muted nowrap">
        <Time at={createdAt} />
      </span>
      <span class="actions">
        <button
          type="button"
          class="button"
          aria-label={`Download ${fileName}`}
          onClick={() => tried(download(fileId))}
        >
          Download
        </button>
        {mayDelete && (
          <button
            type="button"
            class={`button ${isAsked ? 'danger' : 'quiet'}`}
            aria-label={isAsked ? `Really delete ${fileName}` : `Delete ${fileName}`}
            onBlur={() => setAsked(false)}
            onClick={() => (isAsked ? remove() : setAsked(true))}
          >
            {isAsked ? 'Really delete?' : 'Delete'}
          </button>
        )}
      </span>
      <RowFault fault={fault} />
    </li>
  );
}

/** The address lives ten minutes and answers with an attachment, so that one stays on the page. */
async function download(fileId: string): Promise<void> {
  const { url, fileName } = await api().files.get(fileId);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
}
