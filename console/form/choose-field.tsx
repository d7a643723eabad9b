/** What the organization has, to tick: workflows, rulesets and sources. */
import { api } from '../api.ts';
import { words } from '../format.ts';
import { useAsked } from '../hooks.ts';
import { Fault } from '../ui/fault.tsx';
import { type ChooseKind, choiceNames, linesIn } from './field-spec.ts';

type Choosable = { id: string; name: string; note: string };
type Load = (signal: AbortSignal) => Promise<Choosable[]>;

const LOADERS = {
  workflows: async (signal) =>
    (await all(api().workflows({ signal, pageSize: 100 }))).map(({ workflowId: id, name, steps }) => ({
      id,
      name,
      note: steps.join(' → '),
    })),
  rulesets: async (signal) =>
    (await all(api().rulesets({ signal, pageSize: 100 }))).map(({ rulesetId: id, name, version }) => ({
      id,
      name,
      note: `version ${version}`,
    })),
  sources: async (signal) =>
    (await api().agents.sources({ signal })).sources.map(({ name, custom }) => ({
      id: name,
      name: words(name),
      note: custom ? 'your own' : '',
    })),
} satisfies Record<ChooseKind, Load>;

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

type Props = { id: string; kind: ChooseKind; value: string; onChange: (text: string) => void };

export function ChooseField({ id, kind, value, onChange }: Props) {
  const { data, fault, again } = useAsked(`${kind} to choose`, async (signal) => {
    const loaded = await LOADERS[kind](signal);
    for (const { id: one, name } of loaded) choiceNames.set(one, name);
    return loaded;
  });
  if (fault) return <Fault fault={fault} onAgain={again} />;
  if (!data) return <p class="muted small">Loading {kind}…</p>;
  if (data.length === 0) return <p class="muted small">Your organization has no {kind} yet.</p>;
  const chosen = linesIn(value);
  const tick = (one: string, isOn: boolean) =>
    onChange([...chosen.filter((other) => other !== one), ...(isOn ? [one] : [])].join('\n'));
  return (
    <ul class="choose" id={id}>
      {data.map(({ id: one, name, note }) => (
        <li key={one}>
          <label class="tick">
            <input
              type="checkbox"
              checked={chosen.includes(one)}
              onChange={(event) => tick(one, event.currentTarget.checked)}
            />
            <span class="clip">{name}</span> <span class="muted small clip">{note}</span>
          </label>
        </li>
      ))}
    </ul>
  );
}
