import { toolFailed } from '../../tool-failed.ts';
import { awsContainer } from './aws-container.ts';
import { awsStatic } from './aws-static.ts';
import { netlifySite } from './netlify.ts';
import type { Project, ProjectType } from './project.ts';
import type { CreateTemplate, Template } from './template.ts';
import { vercelProject } from './vercel.ts';

export const PROVIDERS = ['aws', 'vercel', 'netlify'] as const;
export type InfrastructureProvider = (typeof PROVIDERS)[number];

/** The possible pairs. Vercel and Netlify run no program that stays; Netlify runs no server of another framework. */
const TEMPLATES: Readonly<Record<InfrastructureProvider, Partial<Readonly<Record<ProjectType, CreateTemplate>>>>> = {
  aws: { nextjs: awsContainer, static: awsStatic, api: awsContainer, node: awsContainer },
  vercel: { nextjs: vercelProject, static: vercelProject, api: vercelProject },
  netlify: { nextjs: netlifySite, static: netlifySite },
};

/** @throws KlausError `tool.failed` for an impossible pair, with the possible ones in the hint. */
export function toTemplate(provider: InfrastructureProvider, project: Project): Template {
  const create = TEMPLATES[provider][project.type];
  if (create) return create(project);
  const pairs = PROVIDERS.map((each) => `${each}: ${Object.keys(TEMPLATES[each]).join(', ')}`).join('; ');
  throw toolFailed(`${provider} has no infrastructure for a project of the type ${project.type}.`, {
    hint: `Possible are ${pairs}.`,
  });
}
