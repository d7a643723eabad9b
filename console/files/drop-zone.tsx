/** Where files are dropped, or picked with a button. */
import { useRef, useState } from 'preact/hooks';
import { Icon } from '../ui/parts.tsx';

export function DropZone({ onFiles }: { onFiles: (files: File[]) => void }) {
  const picker = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const over = (event: DragEvent) => {
    event.preventDefault();
    setOver(true);
  };
  const dropped = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    onFiles(filesIn(event.dataTransfer));
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same without a mouse
    <div
      class={`drop-zone${isOver ? ' over' : ''}`}
      onDragOver={over}
      onDragEnter={over}
      onDragLeave={() => setOver(false)}
      onDrop={dropped}
    >
      <p>Drop files here, or</p>
      <button type="button" class="button main" onClick={() => picker.current?.click()}>
        <Icon name="plus" />
        Choose files
      </button>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={(event) => {
          onFiles(Array.from(event.currentTarget.files ?? []));
          event.currentTarget.value = '';
        }}
      />
      <p class="small muted">Documents, tables, slides, pictures and plain text, each up to 512 MiB.</p>
    </div>
  );
}

/** What is a folder has no bytes of its own. */
function filesIn(transfer: DataTransfer | null): File[] {
  const items = Array.from(transfer?.items ?? []);
  return items.flatMap((item) => {
    const file = item.webkitGetAsEntry()?.isDirectory ? null : item.getAsFile();
    return file ? [file] : [];
  });
}
