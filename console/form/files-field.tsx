/** The organization's newest files, to tick. */
import { api } from '../api.ts';
import { fileNames } from '../files/file-names.ts';
import { bytes } from '../format.ts';
import { Fault } from '../ui/fault.tsx';
import { useAsked } from '../use-asked.ts';
import { linesIn } from './field-spec.ts';

type Props = { id: string; value: string; onChange: (text: string) => void };

const SHOWN = 50;

export function FilesField({ id, value, onChange }: Props) {
  const { data, fault, again } = useAsked('files to attach', async (signal) => {
    const page = await api().files.page({ pageSize: SHOWN, signal });
    for (const { fileId, fileName } of page.files) fileNames.set(fileId, fileName);
    return page;
  });
  const chosen = linesIn(value);
  const tick = (fileId: string, isOn: boolean) =>
    onChange([...chosen.filter((other) => other !== fileId), ...(isOn ? [fileId] : [])].join('\n'));
  if (fault) return <Fault fault={fault} onAgain={again} />;
  if (!data) return <p class="muted small">Looking for your files…</p>;
  if (data.files.length === 0) {
    return (
      <p class="muted small">
        There are none yet. <a href="#/files">Upload some</a>; what you have typed here stays.
      </p>
    );
  }
  return (
    <ul class="choose" id={id}>
      {data.files.map(({ fileId, fileName, size }) => (
        <li key={fileId}>
          <label class="tick">
            <input
              type="checkbox"
              checked={chosen.includes(fileId)}
              onChange={(event) => tick(fileId, event.currentTarget.checked)}
            />
            <span class="clip">{fileName}</span>
            <span class="muted small nowrap">{bytes(size)}</span>
          </label>
        </li>
      ))}
    </ul>
  );
}
