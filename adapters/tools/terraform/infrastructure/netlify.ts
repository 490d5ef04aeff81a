import type { CreateTemplate } from './template.ts';

const MAIN = `terraform {
  required_version = ">= 1.3"

  required_providers {
    netlify = {
      source  = "netlify/netlify"
      version = ">= 0.2"
    }
  }
}

# The token is read from the variable NETLIFY_API_TOKEN.
provider "netlify" {}

resource "netlify_site_build_settings" "app" {
  site_id           = var.site_id
  build_command     = var.build_command
  publish_directory = var.publish_directory
  production_branch = var.production_branch
}
`;

/** The build settings of a site of Netlify. */
export const netlifySite: CreateTemplate = ({ build, output }) => ({
  main: MAIN,
  variables: [
    {
      name: 'site_id',
      description: 'Id of the site, from its settings at Netlify.',
      value: '00000000-0000-0000-0000-000000000000',
      isRequired: true,
    },
    { name: 'build_command', description: 'Command that builds the site.', value: build },
    { name: 'publish_directory', description: 'Folder of the built files.', value: output },
    { name: 'production_branch', description: 'Branch that is published.', value: 'main' },
  ],
  outputs: [
    { name: 'site_id', description: 'Id of the site for deploys.', value: 'netlify_site_build_settings.app.site_id' },
  ],
  next: 'Then deploy with deploy_netlify.',
});
