#!/bin/sh
# slurm.sh FOLDER COMMAND...: runs a command with a Slurm of its own: slurmctld and three slurmd (n1, n2, n3)
# on this machine. Ends with 77 and a reason where that cannot be. SLURM_CONF and SLURM_DIR are set for the command.
set -u
dir=$1; shift
skip() { echo "skipped: $1"; exit 77; }
[ "$(id -u)" = 0 ] || skip "Slurm's daemons need root"
for program in slurmctld slurmd munged sbatch scontrol; do
  command -v $program >/dev/null || PATH=$PATH:/usr/sbin command -v $program >/dev/null || skip "no $program"
done
PATH=$PATH:/usr/sbin
[ -d /sys/fs/cgroup ] && [ -n "$(ls /sys/fs/cgroup)" ] || skip "/sys/fs/cgroup is not mounted"
mkdir -p "$dir/state" || exit 1
host=$(hostname -s)
base=$((20000 + $$ % 20000))

started= munge=/nowhere
stop() {
  for pid in $started; do kill -9 "$pid" 2>/dev/null; done
  for node in n1 n2 n3; do [ -f "$dir/$node.pid" ] && kill -9 "$(cat "$dir/$node.pid")" 2>/dev/null; done
  [ -f "$dir/ctld.pid" ] && kill -9 "$(cat "$dir/ctld.pid")" 2>/dev/null
  [ -f "$munge/pid" ] && kill -9 "$(cat "$munge/pid")" 2>/dev/null
  rm -rf "$munge"
}
trap stop EXIT
trap 'exit 1' INT TERM HUP

# munged runs as its own user, with its own socket and key, in a folder that this user can reach
munge=$(mktemp -d /tmp/knock-munge-XXXXXX) && chmod 755 "$munge" || exit 1
dd if=/dev/urandom of="$munge/key" bs=128 count=1 2>/dev/null
chown -R munge: "$munge" || skip "no user munge"
chmod 600 "$munge/key"
runuser -u munge -- munged --force --foreground --key-file="$munge/key" --socket="$munge/socket" \
  --pid-file="$munge/pid" --log-file="$munge/log" --seed-file="$munge/seed" >/dev/null 2>&1 &
started="$started $!"

cat >"$dir/slurm.conf" <<END
ClusterName=knock
SlurmctldHost=$host
SlurmctldPort=$base
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$munge/socket
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool.%n
SlurmctldPidFile=$dir/ctld.pid
SlurmdPidFile=$dir/%n.pid
SlurmctldLogFile=$dir/ctld.log
SlurmdLogFile=$dir/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout=10
KillWait=2
MinJobAge=300
SchedulerParameters=sched_interval=1,batch_sched_delay=0
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
NodeName=n1 NodeHostname=$host Port=$((base + 1)) CPUs=1 State=UNKNOWN
NodeName=n2 NodeHostname=$host Port=$((base + 2)) CPUs=1 State=UNKNOWN
NodeName=n3 NodeHostname=$host Port=$((base + 3)) CPUs=1 State=UNKNOWN
PartitionName=main Nodes=n1,n2,n3 Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF="$dir/slurm.conf" SLURM_DIR="$dir"
n=0
until [ -S "$munge/socket" ] || [ $n = 100 ]; do sleep 0.05; n=$((n + 1)); done
[ -S "$munge/socket" ] || skip "munged did not start"
slurmctld -D >"$dir/ctld.out" 2>&1 & started="$started $!"
for node in n1 n2 n3; do slurmd -D -N $node >"$dir/$node.out" 2>&1 & started="$started $!"; done
n=0
until [ "$(timeout 5 sinfo -h -N -o %t 2>/dev/null | grep -c idle)" = 3 ] || [ $n = 40 ]; do sleep 0.2; n=$((n + 1)); done
[ $n -lt 40 ] || { tail -3 "$dir/ctld.log" "$dir/n1.log" "$dir/n1.out"; skip "Slurm did not start"; }
"$@"
