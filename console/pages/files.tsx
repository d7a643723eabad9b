/** The organization's files: upload, import, download and delete. */
import { useEffect, useState } from 'preact/hooks';
import { api } from '../api.ts';
import { add, DropZone, FileRow, UploadList, uploads } from '../files/file-list.tsx';
import { useApiData, useStore } from '../hooks.ts';
import { maySubmit } from '../session.ts';
import { Fault } from '../ui/fault.tsx';
import { Page } from '../ui/parts.tsx';

const PAGE_SIZE = 25;

export function FilesPage() {
  const [cursors, setCursors] = useState<string[]>([]);
  const cursor = cursors.at(-1);
  const { data, fault, isLoading, again } = useApiData(`files ${cursor ?? ''}`, (signal) =>
    api().files.page({ pageSize: PAGE_SIZE, cursor, signal }),
  );
  const currentUploads = useStore(uploads);
  const doneCount = currentUploads.filter(({ state }) => state === 'done').length;
  useEffect(() => {
    if (doneCount > 0) again();
  }, [doneCount, again]);
  const next = data?.nextCursor;
  return (
    <Page title="Files" about="Files that tasks can read. They are kept for 30 days, or until they are deleted.">
      <div class="stack">
        {maySubmit() && <DropZone onFiles={add} />}
        <UploadList all={currentUploads} />
        <Fault fault={fault} onAgain={again} />
        {data?.files.length === 0 && <p class="muted">There are no files yet.</p>}
        <ul class="rows" aria-busy={isLoading} aria-label="Files">
          {data?.files.map((file) => (
            <FileRow key={file.fileId} file={file} mayDelete={maySubmit()} onGone={again} />
          ))}
        </ul>
        {(cursors.length > 0 || next) && (
          <nav class="actions" aria-label="Pages of the list">
            <button
              type="button"
              class="button"
              disabled={cursors.length === 0}
              onClick={() => setCursors(cursors.slice(0, -1))}
            >
              Previous
            </button>
            <button
              type="button"
              class="button"
              disabled={!next}
              onClick={() => next && setCursors([...cursors, next])}
            >
              Next
            </button>
          </nav>
        )}
      </div>
    </Page>
  );
}
