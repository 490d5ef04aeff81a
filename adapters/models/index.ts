export { findEntry, listModels, SNAPSHOT_DATE, toModelInfo } from './catalog/catalog.ts';
export { createModels, isAllowed, type ModelsOptions, type ScriptedServer } from './models.ts';
export { createModelProxy, toProxyPath, type ProxyHost, type ProxyOptions } from './proxy/model-proxy.ts';
export type { ProxyExchange, ProxyRequest } from './proxy/proxy-wire.ts';
export { accessTo, PROVIDERS } from './providers.ts';
export type { ModelServer, ModelServerOptions } from './scripted/model-server.ts';
export { createModelServer, loadScript, parseScript } from './scripted/on-demand.ts';
export type { RecordedRequest } from './scripted/recorded-request.ts';
export type { Script } from './scripted/script.ts';
