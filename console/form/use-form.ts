/** The state of a form: its values, drafts and errors, and its submission. */

import { useRef, useState } from 'preact/hooks';
import type { ErrandError } from '../../client/src/index.ts';
import { faultOf } from '../api.ts';
import { type FieldFault, faultsIn, type JsonSchema } from '../contract/validate.ts';
import { answeredFaults, type Reasons, reasonsOf } from './field-faults.ts';
import { bodyOf, type FieldSpec, typingFaults, type Values } from './field-spec.ts';

/** Values that were typed but not submitted, for the life of the tab: they survive an expired session. */
const drafts = new Map<string, Values>();

const draftOf = (form: string): Values => drafts.get(form) ?? {};
const keepDraft = (form: string, values: Values): void => void drafts.set(form, values);
export const dropDraft = (form: string): void => void drafts.delete(form);

type FormOptions = {
  name: string;
  schema: JsonSchema;
  /** The part that every such body has. */
  start: object;
  fields: readonly FieldSpec[];
  /** The initial values. */
  initialValues?: Values;
  send: Send;
  /** What the button with the value `PREVIEW` does. The draft stays, as nothing was decided. */
  preview?: Send;
};

type Send = (body: object, idempotencyKey: string, values: Values) => Promise<void>;

export const PREVIEW = 'preview';

/** The new text, or how it follows from the current one: uploads may change a field several times between two renders. */
export type NextText = string | ((current: string) => string);

export type Form = {
  values: Values;
  reasons: Reasons;
  fault: ErrandError | undefined;
  isBusy: boolean;
  set(path: string, next: NextText): void;
  submit(event: SubmitEvent): void;
};

/** A form: its values, its errors, and its submission. */
export function useForm({ name, schema, start, fields, initialValues = {}, send, preview }: FormOptions): Form {
  const [values, setValues] = useState<Values>({ ...initialValues, ...draftOf(name) });
  // The values of the last change, which the next render shows.
  const latest = useRef(values);
  const [reasons, setReasons] = useState<Reasons>({});
  const [fault, setFault] = useState<ErrandError>();
  const [isBusy, setBusy] = useState(false);
  // The same body gets the same key, so that a retry after a lost response creates no second task.
  const lastSent = useRef({ text: '', key: '' });

  function reportFaults(faults: readonly FieldFault[], form: HTMLFormElement): void {
    const shownFields = fields.filter(({ when }) => when?.(values) ?? true);
    const shownReasons = reasonsOf(faults, shownFields);
    setReasons(shownReasons);
    const firstFaulty = shownFields.find(({ path }) => shownReasons[path]);
    if (firstFaulty) setTimeout(() => focusOn(form, firstFaulty.path));
  }

  function keyOf(text: string): string {
    if (lastSent.current.text !== text) lastSent.current = { text, key: crypto.randomUUID() };
    return lastSent.current.key;
  }

  const sendDraft: Send = async (...request) => {
    await send(...request);
    dropDraft(name);
  };

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (isBusy) return;
    const form = event.currentTarget as HTMLFormElement;
    const deliver = preview && isPreviewButton(event) ? preview : sendDraft;
    const body = bodyOf(start, fields, values);
    setFault(undefined);
    const faults = [...typingFaults(fields, values), ...faultsIn(schema, body)];
    reportFaults(faults, form);
    if (faults.length > 0) return;
    setBusy(true);
    try {
      await deliver(body, keyOf(JSON.stringify([deliver === preview, body])), values);
    } catch (error) {
      const answered = faultOf(error);
      // A rejected body may be accepted later, but its key would return the old response.
      if (answered.status !== undefined) lastSent.current = { text: '', key: '' };
      setFault(answered);
      reportFaults(answeredFaults(answered, fields), form);
    } finally {
      setBusy(false);
    }
  }

  return {
    values,
    reasons,
    fault,
    isBusy,
    submit: (event) => void submit(event),
    set(path, next) {
      const text = typeof next === 'string' ? next : next(latest.current[path] ?? '');
      latest.current = { ...latest.current, [path]: text };
      keepDraft(name, latest.current);
      setValues(latest.current);
      // Correcting one field hides the summary; the other fields stay marked.
      setFault(undefined);
      if (reasons[path]) setReasons({ ...reasons, [path]: undefined as never });
    },
  };
}

const isPreviewButton = ({ submitter }: SubmitEvent): boolean =>
  (submitter as HTMLButtonElement | null)?.value === PREVIEW;

/** Unfolds a folded group first. */
function focusOn(form: HTMLFormElement, path: string): void {
  const field = form.querySelector<HTMLElement>(`[data-path="${CSS.escape(path)}"]`);
  field?.closest('details')?.setAttribute('open', '');
  const input = field?.matches('input, select, textarea')
    ? field
    : (field?.querySelector<HTMLElement>('[aria-invalid="true"]') ??
      field?.querySelector<HTMLElement>('input:not([hidden]), select, textarea'));
  input?.focus();
}
