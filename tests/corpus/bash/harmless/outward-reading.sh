#--- out-kubectl-get [L3]: pods
kubectl get pods -o wide
#--- out-kubectl-rollout-status [L3]: how it goes
kubectl rollout status deployment/shop
#--- out-kubectl-dry [L3]: what would happen
kubectl delete pod x --dry-run=client
#--- out-terraform-plan [L3]: what would change
terraform plan
#--- out-aws-ls [L3]: what is there
aws s3 ls s3://backups
#--- out-gh-pr-list [L3]: proposals
gh pr list
#--- out-docker-ps [L1]: containers
docker ps -a
#--- out-docker-run [L3]: a container of its own
docker run --rm -v "$PWD":/src alpine ls /src
#--- out-npm-run-publish [L3]: a script of that name
npm run publish
#--- run-npx-local [L3]: a tool of the project
npx tsc --noEmit
#--- run-npm-init [L3]: a new package.json
npm init -y
#--- make-install-staged [L3]: into a folder of the workspace
make install DESTDIR="$PWD/stage"
#--- list-dpkg [L1]: packages
dpkg -l | grep python
#--- list-apt [L1]: packages, by apt
apt list --installed
#--- list-apt-cache [L1]: packages that could be
apt-cache search json
#--- awk-compares [L1]: a comparison, not a file
awk '{ print $1, ($3 > 5) }' data.txt
#--- awk-filters [L1]: a condition, not a file
awk '$3 > 5 { print $1 }' data.txt
#--- awk-by-column [L2]: a file for each name
awk '{ print > $1 ".txt" }' data.txt
#--- shell-name [L1]: which shell
echo "$SHELL"
#--- startup-own-copy [L2]: a copy in the workspace
cp dotfiles/.bashrc backup/.bashrc
#--- startup-read [L1]: what is there
grep alias ~/.bashrc
