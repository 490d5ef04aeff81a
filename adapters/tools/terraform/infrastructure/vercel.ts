import type { CreateTemplate, Variable } from './template.ts';

const MAIN = `terraform {
  required_version = ">= 1.3"

  required_providers {
    vercel = {
      source  = "vercel/vercel"
      version = ">= 2.0"
    }
  }
}

# The token is read from the variable VERCEL_API_TOKEN.
provider "vercel" {}

resource "vercel_project" "app" {
  name             = var.name
  framework        = var.framework == "" ? null : var.framework
  build_command    = var.build_command == "" ? null : var.build_command
  output_directory = var.output_directory == "" ? null : var.output_directory
}
`;

/** A project of Vercel, to which deploy_vercel or Git deploys. */
export const vercelProject: CreateTemplate = ({ type, name, framework = '', build, output }) => {
  const isStatic = type === 'static';
  const variables: Variable[] = [
    { name: 'name', description: 'Name of the project.', value: name },
    { name: 'framework', description: 'Framework by which Vercel builds; empty for none.', value: framework },
    {
      name: 'build_command',
      description: 'Command that builds; empty for that of the framework.',
      value: isStatic ? build : '',
    },
    {
      name: 'output_directory',
      description: 'Folder of the built files; empty for that of the framework.',
      value: isStatic ? output : '',
    },
  ];
  return {
    main: MAIN,
    variables,
    outputs: [
      { name: 'project_id', description: 'Id of the project.', value: 'vercel_project.app.id' },
      { name: 'project_name', description: 'Name of the project for deploys.', value: 'vercel_project.app.name' },
    ],
    next: 'Then deploy with deploy_vercel.',
  };
};
