#!/bin/sh
# Builds the programs of a small cluster from Go modules: sh test/kubernetes/build-programs.sh FOLDER
# It needs Go and the Go module proxy, 10 GB of disk, and half an hour on two cores.
set -eu

KUBERNETES=1.35.4
ETCD=3.6.5
folder=${1:?Usage: sh test/kubernetes/build-programs.sh FOLDER}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
module=$(mktemp -d)
trap 'chmod -R u+w "$module"; rm -rf "$module"' EXIT
export GOFLAGS='-mod=mod -buildvcs=false' CGO_ENABLED=0

cd "$module"
# The modules of k8s.io have no versions in the go.mod of k8s.io/kubernetes, which replaces them by folders.
source=$(go mod download -json "k8s.io/kubernetes@v$KUBERNETES" | sed -n 's/.*"GoMod": "\(.*\)".*/\1/p')
{
  echo 'module klaus/kubernetes'
  sed -n '/^go /p' "$source"
  echo "require k8s.io/kubernetes v$KUBERNETES"
  sed -n 's#^[[:space:]]*\(k8s.io/[a-z-]*\) => ./staging/.*#replace \1 => \1 v0.'"${KUBERNETES#*.}"'#p' "$source"
} >go.mod
version="-X k8s.io/component-base/version.gitVersion=v$KUBERNETES -X k8s.io/component-base/version.gitMajor=1"
version="$version -X k8s.io/component-base/version.gitMinor=$(echo $KUBERNETES | cut -d. -f2)"
for program in kube-apiserver kubelet kube-scheduler; do
  go build -trimpath -ldflags "-s -w $version" -o "$folder/$program" "k8s.io/kubernetes/cmd/$program"
done

mkdir etcd
cd etcd
echo 'module klaus/etcd' >go.mod
go get "go.etcd.io/etcd/server/v3@v$ETCD"
go build -trimpath -ldflags '-s -w' -o "$folder/etcd" go.etcd.io/etcd/server/v3
