/** The fields of a form in their groups; what few need is folded away. */
import type { JsonSchema } from '../contract/schema.ts';
import type { FieldSpec, Group } from './field-spec.ts';
import { FormField } from './form-field.tsx';
import type { Form } from './use-form.ts';

type FormFieldsProps = { form: Form; schema: JsonSchema; groups: Group[] };

export function FormFields({ form, schema, groups }: FormFieldsProps) {
  const fields = (given: FieldSpec[]) =>
    given
      .filter(({ when }) => when === undefined || when(form.values))
      .map((spec) => <FormField key={spec.path} spec={spec} schema={schema} form={form} />);
  return (
    <>
      {groups.map(({ title, fields: given, isFolded }) =>
        isFolded ? (
          <details key={title} class="card group">
            <summary>
              <h2>{title}</h2>
            </summary>
            <div class="fields">{fields(given)}</div>
          </details>
        ) : (
          <section key={title} class="card group">
            <h2>{title}</h2>
            <div class="fields">{fields(given)}</div>
          </section>
        ),
      )}
    </>
  );
}
