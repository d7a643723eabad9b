/** The parts of the synthesized template that the rehearsal reads. */

type Resource = { Type: string; Properties?: Record<string, unknown> };
export type Template = { Resources: Record<string, Resource>; Outputs?: Record<string, { Value: unknown }> };

/** The values of `Ref` and `Fn::GetAtt` for a resource. */
export type Created = { ref: string; attribute(name: string): string };
export type Look = (id: string) => Promise<Created>;

export const REGION = 'us-east-1';
/** The account id of moto. */
export const ACCOUNT = '123456789012';

export const idsOf = ({ Resources }: Template, type: string): string[] =>
  Object.keys(Resources).filter((id) => Resources[id]?.Type === type);

export function createdResource(ref: string, attributes: Record<string, string> = {}): Created {
  return {
    ref,
    attribute(name) {
      const value = attributes[name];
      if (value === undefined) throw new Error(`The rehearsal knows no ${name} of ${ref}.`);
      return value;
    },
  };
}

/** Placeholder attributes of resources that the rehearsal does not create: roles, log groups, the functions themselves. */
export const imaginedResource = (id: string): Created => ({ ref: id, attribute: (name) => `imagined:${id}:${name}` });

/** The logical id in an imagined attribute. */
export const idOfImagined = (attribute: string): string => attribute.split(':')[1] ?? attribute;
