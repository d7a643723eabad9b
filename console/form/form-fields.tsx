/** The fields of a form: label, input, help and error of each, in groups. */
import { useState } from 'preact/hooks';
import { fieldAt, type JsonSchema, type SchemaField } from '../contract/validate.ts';
import { labelOf, words } from '../format.ts';
import { Fault } from '../ui/fault.tsx';
import { type FieldSpec, type Group, isChooseKind, isFileId, linesIn, wordsIn } from './field-spec.ts';
import { ChooseField, FilesField } from './files-field.tsx';
import { type Form, type NextText, PREVIEW } from './use-form.ts';

type WordsFieldProps = { id: string; suggestions: readonly string[]; value: string; onChange: (text: string) => void };

/** Checkboxes for known words, and a text input for others. The value keeps the order of selection. */
function WordsField({ id, suggestions, value, onChange }: WordsFieldProps) {
  const chosen = wordsIn(value);
  // Keeps the typed text, so that a trailing comma is not lost.
  const [otherText, setOthers] = useState(chosen.filter((word) => !suggestions.includes(word)).join(', '));
  const suggested = chosen.filter((word) => suggestions.includes(word));
  const toggle = (word: string, isOn: boolean) =>
    onChange(
      [...suggested.filter((chosenWord) => chosenWord !== word), ...(isOn ? [word] : []), ...wordsIn(otherText)].join(
        '\n',
      ),
    );
  return (
    <>
      <div class="ticks">
        {suggestions.map((word) => (
          <label key={word} class="tick">
            <input
              type="checkbox"
              checked={suggested.includes(word)}
              onChange={(event) => toggle(word, event.currentTarget.checked)}
            />
            {words(word)}
          </label>
        ))}
      </div>
      <input
        id={id}
        type="text"
        aria-label="Others, separated by commas"
        placeholder="Others, separated by commas"
        value={otherText}
        autocomplete="off"
        onInput={({ currentTarget: { value: text } }) => {
          setOthers(text);
          onChange([...suggested, ...wordsIn(text)].join('\n'));
        }}
      />
    </>
  );
}

type FormFieldProps = { spec: FieldSpec; schema: JsonSchema; form: Form };

const WIDE = new Set(['long', 'json', 'words', 'documents', 'lines', 'pairs', 'files']);
/** Several inputs under one legend. */
const GROUPS = new Set(['words', 'documents', 'files']);
const isWide = (kind: string): boolean => WIDE.has(kind) || isChooseKind(kind);

/** One field: its label, its input by the contract, its help text and its errors. */
export function FormField({ spec, schema, form }: FormFieldProps) {
  const inContract = spec.formOnly ? { schema: {}, isRequired: false, words: undefined } : fieldAt(schema, spec.path);
  const field = { ...inContract, isRequired: inContract.isRequired && !spec.isOptional };
  const id = `field-${spec.path.replaceAll('.', '-')}`;
  const faults = form.reasons[spec.path];
  const about = [spec.help && `${id}-help`, faults && `${id}-fault`].filter(Boolean).join(' ') || undefined;
  const isGroup = GROUPS.has(spec.kind) || isChooseKind(spec.kind);
  const label = (
    <>
      {spec.label}
      {!field.isRequired && !spec.isNeeded && spec.kind !== 'flag' && (
        <span class="muted small optional"> optional</span>
      )}
    </>
  );
  const input = <Input spec={spec} field={field} form={form} id={id} about={about} isFaulty={faults !== undefined} />;
  const notes = (
    <>
      {spec.help && (
        <small id={`${id}-help`} class="muted">
          {spec.help}
        </small>
      )}
      {faults && (
        <span id={`${id}-fault`} class="field-fault">
          {faults.join('. ')}
        </span>
      )}
    </>
  );
  const wide = isWide(spec.kind) ? ' wide' : '';
  if (isGroup) {
    return (
      <fieldset class={`field${wide}`} aria-describedby={about} data-path={spec.path}>
        <legend>{label}</legend>
        {input}
        {notes}
      </fieldset>
    );
  }
  return (
    <div class={`field${wide}${spec.kind === 'flag' ? ' flag' : ''}`}>
      <label htmlFor={id}>{label}</label>
      {input}
      {notes}
    </div>
  );
}

type InputProps = {
  spec: FieldSpec;
  field: SchemaField;
  form: Form;
  id: string;
  about: string | undefined;
  isFaulty: boolean;
};

function Input({ spec, field, form, id, about, isFaulty }: InputProps) {
  const { path, kind, suggestions = [] } = spec;
  const value = form.values[path] ?? '';
  const setText = (next: NextText) => form.set(path, next);
  const common = {
    id,
    name: path,
    'data-path': path,
    'aria-describedby': about,
    'aria-invalid': isFaulty,
    'aria-required': field.isRequired,
    placeholder: spec.placeholder,
    onInput: (event: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => setText(event.currentTarget.value),
  };
  const { maxLength, minimum, maximum, default: defaultValue, type } = field.schema;
  const isWhole = [type].flat().includes('integer');
  switch (kind) {
    case 'words':
      return <WordsField id={id} suggestions={suggestions} value={value} onChange={setText} />;
    case 'files':
      return <FilesField id={id} value={value} onChange={setText} />;
    case 'documents':
      return <DocumentsField common={common} spec={spec} value={value} onChange={setText} />;
    case 'workflows':
    case 'rulesets':
    case 'sources':
      return <ChooseField id={id} kind={kind} value={value} onChange={setText} />;
    case 'choice':
      return (
        <Choice common={common} value={value} spec={spec} words={spec.words ?? field.words ?? []} onPick={setText} />
      );
    case 'flag':
      return (
        <input
          {...common}
          type="checkbox"
          checked={value === 'true'}
          onInput={(event) => setText(String(event.currentTarget.checked))}
        />
      );
    case 'number':
      return (
        <input
          {...common}
          type="number"
          inputMode={isWhole ? 'numeric' : 'text'}
          min={minimum}
          max={maximum}
          step={isWhole ? 1 : 'any'}
          value={value}
          placeholder={defaultValue === undefined ? undefined : String(defaultValue)}
        />
      );
    case 'time':
      return <input {...common} type="time" step={1} value={value} />;
    case 'json':
      return (
        <>
          <Templates templates={spec.templates ?? {}} onPick={setText} />
          <textarea {...common} class="mono" rows={spec.rows ?? 8} spellcheck={false} value={value} />
        </>
      );
    case 'text':
      return <Line common={common} value={value} max={maxLength} suggestions={suggestions} />;
    default:
      return (
        <textarea {...common} rows={spec.rows ?? 3} maxLength={kind === 'long' ? maxLength : undefined} value={value} />
      );
  }
}

type DocumentsProps = { common: Common; spec: FieldSpec; value: string; onChange: (next: NextText) => void };

/** The addresses precede the files, so that an error of the third entry is one of the third line. */
function DocumentsField({ common, spec, value, onChange }: DocumentsProps) {
  // Keeps the typed text, so that an empty last line is not lost.
  const [addresses, setAddresses] = useState(
    linesIn(value)
      .filter((entry) => !isFileId(entry))
      .join('\n'),
  );
  return (
    <>
      <FilesField id={`${common.id}-files`} value={value} onChange={onChange} />
      <label class="small" htmlFor={common.id}>
        Or public HTTPS addresses, one per line
      </label>
      <textarea
        {...common}
        rows={spec.rows ?? 3}
        value={addresses}
        onInput={({ currentTarget: { value: text } }) => {
          setAddresses(text);
          onChange((current) => [...linesIn(text), ...linesIn(current).filter(isFileId)].join('\n'));
        }}
      />
    </>
  );
}

/** Each button inserts its template into the field. */
const Templates = (o: { templates: Readonly<Record<string, object>>; onPick: (text: string) => void }) => (
  <div class="ticks">
    {Object.entries(o.templates).map(([name, template]) => (
      <button key={name} type="button" class="button quiet" onClick={() => o.onPick(JSON.stringify(template, null, 2))}>
        {name}
      </button>
    ))}
  </div>
);

type Common = { id: string; [name: string]: unknown };

type ChoiceProps = {
  common: Common;
  value: string;
  spec: FieldSpec;
  words: readonly string[];
  onPick: (word: string) => void;
};

const Choice = (o: ChoiceProps) => (
  <select {...o.common} value={o.value} onInput={undefined} onChange={(event) => o.onPick(event.currentTarget.value)}>
    <option value="">{o.spec.defaultValue ? `${labelOf(o.spec.defaultValue)} (usual)` : o.spec.none}</option>
    {[...o.words, ...(o.value === '' || o.words.includes(o.value) ? [] : [o.value])]
      .filter((word) => word !== o.spec.defaultValue)
      .map((word) => (
        <option key={word} value={word}>
          {labelOf(word)}
        </option>
      ))}
  </select>
);

function Line(o: { common: Common; value: string; max: number | undefined; suggestions: readonly string[] }) {
  const list = `${o.common.id}-list`;
  const hasList = o.suggestions.length > 0;
  return (
    <>
      <input
        {...o.common}
        type="text"
        maxLength={o.max}
        value={o.value}
        list={hasList ? list : undefined}
        autocomplete="off"
      />
      {hasList && (
        <datalist id={list}>
          {o.suggestions.map((word) => (
            <option key={word} value={word} />
          ))}
        </datalist>
      )}
    </>
  );
}

type FormFieldsProps = { form: Form; schema: JsonSchema; groups: Group[] };

/** The fields of a form in groups; rarely used groups are folded. */
export function FormFields({ form, schema, groups }: FormFieldsProps) {
  const isShown = ({ when }: FieldSpec): boolean => when?.(form.values) ?? true;
  const fields = (filled: FieldSpec[]) =>
    filled.filter(isShown).map((spec) => <FormField key={spec.path} spec={spec} schema={schema} form={form} />);
  return (
    <>
      {groups
        .filter(({ fields: grouped }) => grouped.some(isShown))
        .map(({ title, fields: grouped, isFolded }) =>
          isFolded ? (
            <details key={title} class="card group">
              <summary>
                <h2>{title}</h2>
              </summary>
              <div class="fields">{fields(grouped)}</div>
            </details>
          ) : (
            <section key={title} class="card group">
              <h2>{title}</h2>
              <div class="fields">{fields(grouped)}</div>
            </section>
          ),
        )}
    </>
  );
}

type Props = {
  form: Pick<Form, 'fault' | 'reasons' | 'isBusy'>;
  back: string;
  label?: string | undefined;
  hasPreview?: boolean | undefined;
};

/** The end of every form: its error, its submit button, a link back, and a preview if the form has one. */
export const FormEnd = ({ form: { fault, reasons, isBusy }, back, label = 'Submit', hasPreview = false }: Props) => (
  <>
    <Fault fault={fault} marked={reasons} />
    <div class="actions">
      <button type="submit" class="button main" aria-disabled={isBusy}>
        {isBusy ? 'Sending…' : label}
      </button>
      {hasPreview && (
        <button type="submit" class="button" value={PREVIEW} aria-disabled={isBusy}>
          Preview
        </button>
      )}
      <a class="button quiet" href={back}>
        Back to the list
      </a>
    </div>
  </>
);
