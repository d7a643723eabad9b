/** The files of a result: to download, and to look at where that is safe. */
import { useState } from 'preact/hooks';
import type { AgentContract } from '../../client/src/index.ts';
import { bytes } from '../format.ts';
import { Preview, previewOf } from './preview.tsx';

type File = AgentContract.ResultFile;

export function ResultFiles({ files, onStale }: { files: File[]; onStale: () => void }) {
  const [open, setOpen] = useState<string>();
  const opened = files.find(({ name }) => name === open);
  return (
    <section class="card files">
      <h2>Files</h2>
      <ul>
        {files.map((file) => (
          <li key={file.name}>
            <span class="clip">{file.name}</span>
            <span class="muted small nowrap">{bytes(file.size_bytes)}</span>
            {previewOf(file) && (
              <button
                type="button"
                class="button"
                aria-expanded={open === file.name}
                onClick={() => setOpen(open === file.name ? undefined : file.name)}
              >
                {open === file.name ? 'Hide' : 'Look'}
              </button>
            )}
            <Download file={file} onStale={onStale} />
          </li>
        ))}
      </ul>
      {opened && <Preview key={opened.name} file={opened} onStale={onStale} />}
    </section>
  );
}

function Download({ file: { url, name, expires_at }, onStale }: { file: File; onStale: () => void }) {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return null;
  // An address that was signed lives an hour: then the results are asked for again.
  const isStale = Date.parse(expires_at) < Date.now();
  if (isStale) {
    return (
      <button type="button" class="button" onClick={onStale}>
        Download again
      </button>
    );
  }
  return (
    <a class="button" href={url} download={name} rel="noopener noreferrer">
      Download
    </a>
  );
}
