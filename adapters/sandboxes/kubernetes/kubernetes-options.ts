/** How pods of the sandbox are made: the settings `sandbox.kubernetes.*`. */
export interface KubernetesOptions {
  /** Default: that of the configuration of the client, else `default`. */
  namespace?: string;
  /** Folders of this process on volumes of the pods: see {@link parseVolumes}. Commands see nothing outside of them. */
  volumes: readonly string[];
  /** Default: a class whose handler is `runsc`, if there is one. `none`: the runtime of the node. */
  runtimeClass?: string;
  /** A file in the folder of seccomp profiles of the kubelet. Default: the profile of the runtime. */
  seccompProfile?: string;
  /** Labels of the nodes, each as `name=value`. Default: any node. */
  nodeSelector?: readonly string[];
  /** Pods have a user namespace of their own. Default true. */
  userNamespace?: boolean;
  /** The network of the cluster enforces network policies. The driver refuses to work without it. */
  enforcesPolicies?: boolean;
}
