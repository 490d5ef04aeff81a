import type { Project } from './project.ts';

/** A variable of a configuration. Its example value is its default. */
export interface Variable {
  name: string;
  description: string;
  value: string | number;
  /** True: it has no default, because no value fits every user. */
  isRequired?: true;
}

/** An infrastructure for one type of project at one provider. */
export interface Template {
  /** The main.tf, formatted as `terraform fmt` does. */
  main: string;
  variables: readonly Variable[];
  outputs: readonly { name: string; description: string; value: string }[];
  /** What follows `terraform apply`, as a sentence. */
  next: string;
}

export type CreateTemplate = (project: Project) => Template;

/** The files of a template by name, formatted as `terraform fmt` does. */
export function toFiles({ main, variables, outputs }: Template): Record<string, string> {
  const width = Math.max(...variables.map(({ name }) => name.length));
  return {
    'main.tf': main,
    'variables.tf': variables.map(toVariable).join('\n'),
    'outputs.tf': outputs
      .map(
        ({ name, description, value }) =>
          `output "${name}" {\n  description = ${toHcl(description)}\n  value       = ${value}\n}\n`,
      )
      .join('\n'),
    'terraform.tfvars.example': variables
      .map(({ name, value }) => `${name.padEnd(width)} = ${toHcl(value)}\n`)
      .join(''),
  };
}

function toVariable({ name, description, value, isRequired }: Variable): string {
  const lines = [
    `variable "${name}" {`,
    `  description = ${toHcl(description)}`,
    `  type        = ${typeof value === 'number' ? 'number' : 'string'}`,
    ...(isRequired ? [] : [`  default     = ${toHcl(value)}`]),
    '}',
    '',
  ];
  return lines.join('\n');
}

/** A literal of HCL, in which nothing is evaluated. */
function toHcl(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = JSON.stringify(value.replaceAll(/\p{Cc}/gu, ' '));
  return text.replaceAll('${', '$${').replaceAll('%{', '%%{');
}
